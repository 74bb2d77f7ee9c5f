#if os(Linux)
/// A query to the routing tables for the route of a packet.
package struct RouteQuestion: Hashable, Sendable {
  package var destination: IPAddress
  package var source: IPAddress?
  package var interface: Int32?
  package var mark: UInt32?
  package var transport: ReachabilityTarget.Transport?
  package var port: UInt16?
  /// Whether the query is for the matching entry (prefix, next hops, lifetime).
  ///
  /// Otherwise it is for the route of a packet (next hop and source).
  package var isExact: Bool
  /// Whether the query is for the source of a socket, which may have a route where packets without a source have
  /// none.
  package private(set) var asksForSource = false
  /// Whether the query is whether an IPsec policy blocks packets; a socket answers it.
  package private(set) var asksForPolicy = false
  /// Whether a tunnel makes the packets: the kernel looks a route up once, for packets of its own.
  package var isOfTunnel = false
  /// The number of one of several connections, if that matters.
  package private(set) var flow: UInt8?
  /// How often routes wrapped the packets: the query is for the kernel's own packets then, not for those of a socket.
  package private(set) var encapsulations: UInt8 = 0

  package init(
    _ destination: IPAddress, source: IPAddress? = nil, interface: Int32? = nil, mark: UInt32? = nil,
    transport: ReachabilityTarget.Transport? = nil, port: UInt16? = nil, isExact: Bool = false
  ) {
    self.destination = destination
    self.source = source
    self.interface = interface
    self.mark = mark
    self.transport = transport
    self.port = port
    self.isExact = isExact
  }

  /// Creates the query for the packets that a connection to a target would send to an address.
  package init(_ destination: IPAddress, for target: ReachabilityTarget, over interface: Int32? = nil) {
    self.init(
      destination, source: target.source, interface: interface, mark: target.mark,
      transport: target.effectiveTransport, port: target.port)
  }

  /// The same query for the matching entry.
  package var exact: RouteQuestion {
    var question = self
    question.isExact = true
    return question
  }

  /// Returns the same query for packets of one of several connections, which differ in their local port.
  package func inFlow(_ number: UInt8) -> RouteQuestion {
    var question = self
    question.flow = number
    return question
  }

  /// The protocol of the packets, which rules may match and the choice of a next hop may depend on.
  ///
  /// Without a transport, it is TCP, with which nearly all programs connect, or UDP where TCP connects to nothing. The
  /// kernel's own defaults differ: UDP for IPv4, and none for IPv6.
  package var packetTransport: ReachabilityTarget.Transport {
    transport ?? (destination.isForDatagramsOnly ? .udp : .tcp)
  }

  /// Returns the query for the packets into which a route wraps those of this one; `nil` if it did so too often.
  package func towards(_ segment: IPAddress) -> RouteQuestion? {
    guard encapsulations < Self.encapsulationLimit else { return nil }
    var question = RouteQuestion(segment, mark: mark)
    question.encapsulations = encapsulations + 1
    return question
  }

  /// Few networks nest tunnels, and none can be followed that leads into itself.
  private static var encapsulationLimit: UInt8 { 3 }

  /// Returns the same query for packets of a protocol.
  package func over(_ transport: ReachabilityTarget.Transport) -> RouteQuestion {
    var question = self
    question.transport = transport
    return question
  }

  /// Returns the same query for packets from another source, or from the kernel's choice.
  package func from(_ source: IPAddress?) -> RouteQuestion {
    var question = self
    question.source = source
    return question
  }

  /// The query for the source of a socket; nothing else of its answer counts.
  package var sourceChoice: RouteQuestion {
    var question = self
    question.asksForSource = true
    return question
  }

  /// The query whether an IPsec policy blocks the packets.
  package var policyCheck: RouteQuestion {
    var question = self
    question.asksForPolicy = true
    return question
  }

  /// Whether a socket answers it, and not the routing tables.
  package var takesSocket: Bool { asksForSource || asksForPolicy }
}
#endif
