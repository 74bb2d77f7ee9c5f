/// The part of a source that sends packets, from any task, whose thread it does not block.
package protocol NetworkProber: Sendable {
  /// Tries to connect.
  ///
  /// - Returns: The outcome of each address, in their order, and the duration of all attempts.
  /// - Throws: `CancellationError`, or a ``ReachabilityMonitorError``; not if no address accepts.
  func connect(
    _ plan: ConnectionPlan
  ) async throws -> (attempts: [ReachabilityConnectionReport.Attempt], duration: Duration)

  /// Sends a query for a name to every name server that this machine is configured to use.
  ///
  /// - Returns: Each server's reply; none where that can't be found out.
  func askNameServers(
    for name: ReachabilityTarget.HostName, within timeout: Duration
  ) async throws -> [ReachabilityPath.NameServer: NameServerReply]
}

/// A plan of connection attempts.
package struct ConnectionPlan: Sendable {
  /// The addresses with their constraints, in the order of the attempts.
  package var targets: [(target: ReachabilityTarget, address: IPAddress)]
  package var port: UInt16
  /// The time limit of all attempts together.
  package var timeout: Duration
  /// The head start of each attempt over the next.
  package var attemptDelay: Duration
}

/// The part of a source that reads how this machine's own traffic fares; it sends nothing.
package protocol TrafficSource: Sendable {
  /// Reads the traffic; from any thread, without waiting for a network.
  ///
  /// All callers share a reading for a second, or longer if reading took so much processor time.
  func readTraffic() -> TrafficReading

  /// Whether anything happened since a reading that may begin or end a stall, at little cost.
  ///
  /// - Parameter isQuiet: Whether the first received segment matters as well.
  func hasTraffic(since reading: TrafficReading, isQuiet: Bool) -> Bool

  /// Returns the time between two readings for an observer that wants this interval, as their cost requires.
  func readingInterval(wanted: Duration) -> Duration

  /// Returns the evidence if the source knows it without connections, as a simulated network does.
  func evidence(about question: EvidenceQuestion) -> TrafficEvidence?

  /// Returns the present index of an interface, or `nil` if it does not exist.
  func index(of interface: ReachabilityTarget.Interface) -> Int32?
}

extension TrafficSource {
  package func evidence(about question: EvidenceQuestion) -> TrafficEvidence? { nil }
}

/// What an observer of evidence asks about; what that means may change with the network.
package enum EvidenceQuestion: Hashable, Sendable {
  /// The connections to a target, or those by the default route.
  case target(ReachabilityTarget)
  /// All connections whose packets take the path of a target.
  case path(ReachabilityTarget)
  /// The connections over an interface, of a family if given.
  case interface(ReachabilityTarget.Interface, IPAddress.Family?)
}

/// The subjects whose changes a source reports.
package struct Subscriptions: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Links, addresses, routes and rules.
  package static let network = Subscriptions(rawValue: 1 << 0)
  /// The resolver's settings.
  package static let names = Subscriptions(rawValue: 1 << 1)
}

/// The seam between the engine and the system's resolver.
package protocol NameService: Sendable {
  /// Whether this network's resolver settings are known, so that names can be looked up.
  var canLookUp: Bool { get }

  /// Whether packets for a configured name server can leave; also if that is not known.
  var canReachServer: Bool { get }

  /// Looks up a name; blocks until the system's resolver returns.
  func addresses(of name: ReachabilityTarget.HostName) -> NameAnswer

  /// Runs a closure on a new thread for lookups.
  ///
  /// - Throws: ``ReachabilityMonitorError`` if no thread can be started.
  func startThread(_ body: @escaping @Sendable () -> Void) throws(ReachabilityMonitorError)
}

extension NameService {
  package var canLookUp: Bool { true }

  package var canReachServer: Bool { true }
}

enum NameLookups {
  /// The highest number of concurrent lookups.
  static var limit: Int { 6 }
}
