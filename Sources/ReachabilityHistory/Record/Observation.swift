/// The value of a lane: what a line says about a target, the path or the verification of an endpoint.
struct Observation: Hashable, Sendable {
  /// An interface of a path.
  struct Interface: Hashable, Sendable {
    var name = ""
    /// The raw value of the reason why it is unusable; `nil` if it is usable.
    var reason: String?
    var addresses: [String] = []
    var gateways: [String] = []
  }

  var state = LaneState.unknown
  /// The raw value of the reason.
  var reason: String?
  /// What a verification found in place of the expected answer.
  var detail: String?
  /// The interface that packets leave by, or would leave by.
  var interface: String?
  var gateway: String?
  /// The interfaces of a path, the usable ones first.
  var interfaces: [Interface] = []
}
