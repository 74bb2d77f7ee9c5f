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
  /// The number of one of several connections, if that matters.
  package private(set) var flow: UInt8?

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

  /// Returns the same query for packets of one of several connections, which differ in protocol and port.
  package func inFlow(_ number: UInt8) -> RouteQuestion {
    var question = self
    question.flow = number
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
}

/// The answer of the routing tables to a query.
package enum RouteAnswer: Hashable, Sendable {
  case route(RouteReply)
  case refused(Refusal)

  /// The reason why a packet would not be sent.
  package enum Refusal: Hashable, Sendable {
    case networkUnreachable
    case hostUnreachable
    case invalid
    case accessDenied
    case noDevice
    /// The kernel does not support the destination's family.
    case familyUnsupported
    /// An error that does not concern the destination.
    case trouble
  }
}

extension RouteAnswer {
  /// Returns the answer with a source that the kernel did not choose.
  func from(_ source: IPAddress) -> RouteAnswer {
    guard case .route(var reply) = self else { return self }
    reply.source = source
    return .route(reply)
  }
}

/// The route of a packet, or the matching entry.
package struct RouteReply: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case unicast
    case local
    case broadcast
    case anycast
    case multicast

    /// Whether packets may be delivered on this machine.
    package var isHere: Bool { self == .local || self == .anycast }
  }

  package struct NextHop: Hashable, Sendable {
    package var interface: Int32
    package var gateway: IPAddress?
    package var isDown: Bool

    package init(interface: Int32, gateway: IPAddress?, isDown: Bool) {
      self.interface = interface
      self.gateway = gateway
      self.isDown = isDown
    }
  }

  package var kind: Kind
  package var interface: Int32?
  package var gateway: IPAddress?
  package var source: IPAddress?
  /// The number of the table, or 0 if the kernel looked none up.
  package var table: UInt32
  package var prefixLength: Int
  /// The metric of the matching entry: of two with the same prefix, the one with the lower metric wins.
  package var metric: UInt32
  /// Whether the kernel reports that the next hop is dead or its link has no carrier.
  package var isDown: Bool
  /// All next hops of a multipath route.
  package var nextHops: [NextHop]
  /// The remaining lifetime of the entry, or `nil` if it does not expire.
  package var lifetime: Duration?

  package init(
    _ kind: Kind = .unicast, interface: Int32? = nil, gateway: IPAddress? = nil, source: IPAddress? = nil,
    table: UInt32 = 254, prefixLength: Int = 0, metric: UInt32 = 0, isDown: Bool = false,
    nextHops: [NextHop] = [], lifetime: Duration? = nil
  ) {
    self.kind = kind
    self.interface = interface
    self.gateway = gateway
    self.source = source
    self.table = table
    self.prefixLength = prefixLength
    self.metric = metric
    self.isDown = isDown
    self.nextHops = nextHops
    self.lifetime = lifetime
  }
}

/// The answers that an evaluation has so far.
package struct RouteAnswers: Sendable {
  private typealias Pair = (question: RouteQuestion, answer: RouteAnswer)

  // Most targets need one answer, which is stored inline.
  private var first: Pair?
  private var others: [Pair] = []

  package init() {}

  package subscript(question: RouteQuestion) -> RouteAnswer? {
    get {
      if let first, first.question == question { return first.answer }
      return others.first { $0.question == question }?.answer
    }
    set {
      guard let newValue else { return }
      if first.map({ $0.question == question }) ?? true {
        first = (question, newValue)
      } else if let position = others.firstIndex(where: { $0.question == question }) {
        others[position].answer = newValue
      } else {
        others.append((question, newValue))
      }
    }
  }
}
