/// What tells the lanes of a machine from each other.
struct LaneKey: Hashable, Sendable {
  var kind: LaneKind
  var name: String

  static let path = LaneKey(kind: .path, name: "path")
}
