/// What records say about a period.
package struct History: Equatable, Sendable {
  /// The beginning of the period, in milliseconds since 1970.
  package var from: Int
  /// The end of the period.
  package var until: Int
  /// The lanes of each machine: the path, then targets, verifications and interfaces.
  package var lanes: [Lane]
  /// The incidents of paths, targets and verifications, the oldest first.
  package var incidents: [Incident]
  /// The machines that were recorded in two boots at once: several ones with one name, or one with a wrong clock.
  package var ambiguousMachines: [String] = []

  package init(from: Int, until: Int, lanes: [Lane], incidents: [Incident]) {
    self.from = from
    self.until = until
    self.lanes = lanes
    self.incidents = incidents
  }
}
