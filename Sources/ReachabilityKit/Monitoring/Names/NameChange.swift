/// A name with its first observer, or after its last one.
enum NameChange: Equatable, Sendable {
  case added(ReachabilityTarget.HostName)
  case removed(ReachabilityTarget.HostName)
}
