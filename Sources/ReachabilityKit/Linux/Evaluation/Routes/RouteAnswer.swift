#if os(Linux)
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
    /// An IPsec policy blocks packets.
    case policy
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

  /// Whether packets go to all hosts on a link.
  var isBroadcast: Bool {
    if case .route(let reply) = self { reply.kind == .broadcast } else { false }
  }

  /// Whether packets leave by a next hop, whatever the address.
  var isUnicast: Bool {
    if case .route(let reply) = self { reply.kind == .unicast } else { false }
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

  /// What a route does with packets besides sending them by its own next hop.
  package enum Encapsulation: Hashable, Sendable {
    /// They leave in packets to this segment, by its own route.
    case segment(IPAddress)
    /// They leave by the route to a destination that is not known.
    case unknown
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
  package var encapsulation: Encapsulation?

  package init(
    _ kind: Kind = .unicast, interface: Int32? = nil, gateway: IPAddress? = nil, source: IPAddress? = nil,
    table: UInt32 = 254, prefixLength: Int = 0, metric: UInt32 = 0, isDown: Bool = false,
    nextHops: [NextHop] = [], lifetime: Duration? = nil, encapsulation: Encapsulation? = nil
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
    self.encapsulation = encapsulation
  }

  /// Whether the route can be one of the local table, the only one in which `bind` looks for IPv4 addresses.
  ///
  /// While there are no rules, the kernel keeps the local table in the main one (254), and names that.
  var isOfLocalTable: Bool { table == 255 || table == 254 }

  /// Whether the route is one of a local table that the kernel keeps apart.
  var isOfLocalTableAlone: Bool { table == 255 }
}

/// The answers that an evaluation has so far.
package struct RouteAnswers: Sendable {
  // Apart, so that a search copies no answer.
  private var questions: [RouteQuestion] = []
  private var answers: [RouteAnswer] = []

  package init() {}

  package var isEmpty: Bool { questions.isEmpty }

  package subscript(question: RouteQuestion) -> RouteAnswer? {
    get { position(of: question).map { answers[$0] } }
    set {
      guard let newValue else { return }
      if let position = position(of: question) {
        answers[position] = newValue
      } else {
        if questions.isEmpty { reserve(4) }
        questions.append(question)
        answers.append(newValue)
      }
    }
  }

  private mutating func reserve(_ count: Int) {
    questions.reserveCapacity(count)
    answers.reserveCapacity(count)
  }

  private func position(of question: RouteQuestion) -> Int? {
    // There are a few; all but two or three differ in the destination or the form.
    questions.firstIndex { $0.isExact == question.isExact && $0 == question }
  }
}
#endif
