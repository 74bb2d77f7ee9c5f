// SPDX-License-Identifier: Apache-2.0
/// What only some systems have, each with a protocol of its own.
package struct SourceCapabilities: Sendable {
  /// The resolver of names; `nil` if the source evaluates hosts itself.
  package var names: (any NameService)?
  /// The sender of probes.
  var prober: (any NetworkProber)?
  /// The reader of this machine's own traffic.
  var traffic: (any TrafficSource)?
  /// The reader of the tables that decide statuses.
  var tables: (any TableReader)?
  /// The filter for announcements of routes.
  var routeFilter: (any RouteFilter)?
  /// The time, where it is not the system's.
  package var time: (any SimulatedTime)?
}

extension SourceCapabilities {
  package init(names: any NameService) { self.init(names: names, prober: nil) }

  package init(traffic: (any TrafficSource)?) { self.init(names: nil, traffic: traffic) }
}

/// The part of a source that shows what its statuses follow from; from any thread.
protocol TableReader: Sendable {
  /// The counters of the exchange between this source and the system.
  var diagnostics: ReachabilityDiagnostics { get }

  /// This machine's limits and counters at this moment, without network traffic.
  var limits: MachineLimits { get }

  /// Collects the facts of an explanation, without waiting for a network.
  ///
  /// - Parameters:
  ///   - targets: The targets that decide the status: a host's addresses, in their order, or the target itself.
  ///   - whole: The target to explain.
  func facts(about targets: [ReachabilityTarget], _ whole: ReachabilityTarget) -> ExplanationFacts
}

/// The part of a source that leaves out changes of routes which contain no observed address, where that pays.
protocol RouteFilter: Sendable {
  /// Sets the observed addresses, some of which were added or removed.
  func setObserved(_ addresses: ObservedAddresses)
}

/// The addresses whose routes decide what is observed.
struct ObservedAddresses: Sendable {
  /// The number of the addresses, each counted once for every target that has it.
  var count = 0
  /// Returns all present addresses, each at least once, which takes time in proportion to their number.
  var list: @Sendable () -> [ReachabilityAddress] = { [] }
}

/// The part of a source that sends packets, from any task, whose thread it does not block.
protocol NetworkProber: Sendable {
  /// Tries to connect.
  ///
  /// - Returns: The outcome of each address, in their order, the duration of all attempts, and the size in bytes of a full
  ///   packet of the connection, with its headers, if there is one.
  /// - Throws: `CancellationError`, or a ``ReachabilityMonitorError``; not if no address accepts.
  func connect(
    _ plan: ConnectionPlan
  ) async throws -> (
    attempts: [ReachabilityConnectionReport.Attempt], duration: Duration, fullPacket: Int?
  )

  /// Finds the greatest packet that passes to an address that accepted a connection.
  ///
  /// - Returns: What test packets showed; `nil` if no packet leaves this machine.
  func findPacketSize(_ plan: PacketSizePlan) async throws -> PacketSizeFinding?

  /// Finds the routers on the path to an address that does not answer.
  ///
  /// - Returns: The routers that reported packets which ended there, by their number of hops.
  func findRouters(
    to target: ReachabilityTarget, _ address: ReachabilityAddress, port: UInt16, within timeout: Duration
  ) async throws -> [Int: ReachabilityAddress]

  /// Sends an empty datagram; returns the error number if the system does not accept it.
  func sendDatagram(
    to target: ReachabilityTarget, _ address: ReachabilityAddress, port: UInt16
  ) async throws -> Int32?

  /// Sends a query for a name to every name server that this machine is configured to use.
  ///
  /// - Returns: Each server's reply; none where that can't be found out.
  func askNameServers(
    for name: ReachabilityTarget.HostName, within timeout: Duration
  ) async throws -> [ReachabilityPath.NameServer: NameServerReply]
}

/// A plan of connection attempts.
struct ConnectionPlan: Sendable {
  /// The addresses with their constraints, in the order of the attempts.
  var targets: [(target: ReachabilityTarget, address: ReachabilityAddress)]
  var port: UInt16
  /// The time limit of all attempts together.
  var timeout: Duration
  /// The head start of each attempt over the next.
  var attemptDelay: Duration
}

/// A plan of test packets.
struct PacketSizePlan: Sendable {
  /// The address with its constraints.
  var target: ReachabilityTarget
  var address: ReachabilityAddress
  /// The port that accepted a connection.
  var port: UInt16
  /// The size in bytes of a full packet of that connection, with its headers.
  var full: Int
  /// The duration of the handshake.
  var roundTrip: Duration
  var timeout: Duration
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
  func evidence(about question: EvidenceQuestion) -> TrafficEvidence? { nil }
}

/// What an observer of evidence asks about; what that means may change with the network.
package enum EvidenceQuestion: Equatable, Sendable {
  /// The connections to a target, or those by the default route.
  case target(ReachabilityTarget)
  /// All connections whose packets take the path of a target.
  case path(ReachabilityTarget)
  /// The connections over an interface, of a family if given.
  case interface(ReachabilityTarget.Interface, ReachabilityAddress.Family?)
}

/// The time of a simulated network.
package protocol SimulatedTime: Sendable {
  /// How far it is ahead of the clocks of the system.
  var lead: Duration { get }

  /// Returns when it has reached an instant.
  func sleep(until deadline: ContinuousClock.Instant) async throws
}

/// The seam between the engine and the system's resolver.
package protocol NameService: Sendable {
  /// Whether this network's resolver settings are known, so that names can be looked up.
  var canLookUp: Bool { get }

  /// Whether packets for a configured name server can leave; also if that is not known.
  var canReachServer: Bool { get }

  /// Looks up a name; blocks until the system's resolver returns.
  func addresses(of name: ReachabilityTarget.HostName) -> NameAnswer

  /// Starts a thread that belongs to this network and looks names up as this service does.
  ///
  /// - Throws: ``ReachabilityMonitorError`` if it can't be started.
  func startLookupThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError)
}

extension NameService {
  package var canLookUp: Bool { true }

  package var canReachServer: Bool { true }

  package func startLookupThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    try startThread(named: name, body)
  }
}

enum NameLookups {
  /// The highest number of concurrent lookups.
  static var limit: Int { 6 }
}
