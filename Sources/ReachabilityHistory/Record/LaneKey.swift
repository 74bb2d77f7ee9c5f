/// What tells the lanes of a machine from each other.
struct LaneKey: Hashable, Sendable {
  /// The longest name of a target or endpoint in bytes: a URL that servers accept is hardly longer.
  static let nameLimit = 4096

  var kind: LaneKind
  var name: String

  static let path = LaneKey(kind: .path, name: "path")
}
