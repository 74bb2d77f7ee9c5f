#if os(Linux)
import InternetProtocol
import POSIX

/// A subscription to the kernel's announcements about links, addresses, routes, rules, next hops and their settings.
///
/// One owner at a time. Only ``drain(limit:_:)`` and ``ask(_:_:)`` receive from the socket.
package struct RouteSubscription: ~Copyable, Sendable {
  private let channel: any Transport
  /// The addresses whose routes are announced, if not all are.
  private var routes: [IPAddress]?
  /// The addresses of the neighbours that are announced.
  private var neighbours: [IPAddress] = []
  /// The number of receives that failed because the buffer was full.
  package private(set) var overruns = 0
  /// The number of datagrams from senders other than the kernel.
  package private(set) var foreignDatagrams = 0
  /// The number of messages that could not be decoded.
  package private(set) var malformedMessages = 0
  /// Allocated by the first receive, because most monitors are only queried, never observed.
  private var buffer: [UInt8] = []
  private var encoder = MessageEncoder()
  private var sequence: UInt32 = 0
  /// The answer to the last lookup; its bytes are in the buffer.
  private var answer: Message?
  /// Whether messages were lost since the queue was last empty; until then the kernel may drop answers.
  private var isLossy = false

  private static var bufferSize: Int { 8192 }
  /// The number of attempts for a lookup whose answer is lost.
  private static var attempts: Int { 3 }
  /// The number of datagrams that may precede an answer.
  private static var skipLimit: Int { 100_000 }

  package init(over channel: any Transport) {
    self.channel = channel
  }

  /// Joins or leaves groups; the option is `NETLINK_ADD_MEMBERSHIP`.
  package mutating func setMembership(
    _ groups: [MulticastGroup], joined: Bool
  ) throws(NetlinkError) {
    for group in groups {
      do throws(Errno) {
        try channel.setMembership(group, joined: joined)
      } catch {
        throw NetlinkError(.system, attempt: "subscribe to changes", errno: error)
      }
    }
  }

  /// Stops delivering announcements of routes that match none of the addresses; `nil` delivers all again.
  ///
  /// - Returns: Whether the kernel accepted the filter.
  package mutating func limitRoutes(to addresses: [IPAddress]?) -> Bool {
    if attachFilter(routes: addresses, neighbours) {
      routes = addresses
      return true
    }
    // An earlier filter, for other addresses, may still be installed.
    routes = nil
    if !attachFilter(routes: nil, neighbours) { leaveNeighbours() }
    return false
  }

  /// Delivers announcements of neighbours that have one of the addresses, and a few others; of none without addresses.
  ///
  /// The group is joined only behind a filter, since a network may have thousands of neighbours.
  ///
  /// - Returns: Whether the kernel accepted the filter.
  package mutating func watchNeighbours(_ addresses: [IPAddress]) -> Bool {
    guard !addresses.isEmpty, attachFilter(routes: routes, addresses) else {
      leaveNeighbours()
      return addresses.isEmpty
    }
    guard neighbours.isEmpty else {
      neighbours = addresses
      return true
    }
    guard (try? channel.setMembership(.neighbours, joined: true)) != nil else {
      _ = attachFilter(routes: routes, [])
      return false
    }
    neighbours = addresses
    return true
  }

  private mutating func leaveNeighbours() {
    guard !neighbours.isEmpty else { return }
    try? channel.setMembership(.neighbours, joined: false)
    neighbours = []
    _ = attachFilter(routes: routes, [])
  }

  /// Replaces the socket's filter; returns whether the kernel accepted it.
  private func attachFilter(routes: [IPAddress]?, _ neighbours: [IPAddress]) -> Bool {
    func attach(_ filter: SocketFilter?) -> Bool {
      let whole = neighbours.isEmpty ? filter : SocketFilter(neighbours: neighbours, then: filter)
      return (try? channel.setFilter(whole)) != nil
    }
    guard let routes else { return attach(nil) }
    let room = SocketFilter.limit - SocketFilter(neighbours: neighbours, then: nil).instructions.count
    // net.core.optmem_max limits the memory of a filter too.
    return [room, SocketFilter.limit / 4, SocketFilter.limit / 16].contains {
      attach(SocketFilter(routesFor: routes, port: channel.port, limit: $0))
    }
  }

  /// The result of draining the socket.
  package enum Outcome: Equatable, Sendable {
    /// The queue is empty.
    case empty
    /// The limit was reached; more datagrams may be queued.
    case limitReached
  }

  /// Receives the queued datagrams, up to a limit, without blocking.
  ///
  /// - Parameter handle: Receives each event, or `nil` where events were lost: after an overrun, or for an undecodable
  ///   message. State derived from earlier events is then invalid.
  package mutating func drain(
    limit: Int, _ handle: (consuming RouteEvent?) -> Void
  ) throws(NetlinkError) -> Outcome {
    for _ in 0..<limit {
      switch try receive(blocking: false) {
      case .nothing: return .empty
      case .foreign: continue
      case .loss: handle(nil)
      case .datagram(let datagram): _ = decode(datagram, awaiting: nil, handle)
      }
    }
    return .limitReached
  }

  /// Looks up one route, and delivers the announcements that precede the answer.
  ///
  /// The answer shares the queue with the announcements, so both arrive in the order in which the kernel sent them. The
  /// answer stays available until the next use of the socket.
  ///
  /// - Parameter handle: As for ``drain(limit:_:)``.
  package mutating func ask(
    _ request: RouteRequest, _ handle: (consuming RouteEvent?) -> Void
  ) throws(NetlinkError) {
    for _ in 0..<Self.attempts {
      // Notifications have sequence zero.
      sequence = sequence == .max ? 1 : sequence + 1
      try send(request)
      var isLost = false
      var ignored = 0
      while !isLost {
        switch try receive(blocking: !isLossy) {
        case .foreign: break
        case .loss: handle(nil)
        case .datagram(let datagram):
          answer = decode(datagram, awaiting: sequence, handle)
          if answer != nil { return }
        case .nothing: isLost = true
        }
        ignored += 1
        guard ignored < Self.skipLimit else { throw NetlinkError(.timedOut, attempt: Self.lookUpAttempt) }
      }
    }
    throw NetlinkError(.overrun, attempt: Self.lookUpAttempt)
  }

  /// Decodes the answer to the last lookup.
  package func readAnswer() throws(NetlinkError) -> Result<LookupReply, Errno> {
    do throws(DecodingError) {
      guard let answer else { throw DecodingError(.badLength, at: 0) }
      return try answer.lookup(of: RawSpan(_elements: buffer.span))
    } catch {
      throw NetlinkError(.malformed, attempt: Self.lookUpAttempt, detail: error.description)
    }
  }

  /// The answer to the last lookup, to recognize; `nil` if it has an unusual form.
  package var knownAnswer: KnownAnswer? {
    guard let answer else { return nil }
    return KnownAnswer(answer, of: RawSpan(_elements: buffer.span))
  }

  /// Returns whether the answer to the last lookup is this one, regardless of the destination.
  package func isAnswered(by known: KnownAnswer) -> Bool {
    guard let answer else { return false }
    return known.isSame(as: answer, of: RawSpan(_elements: buffer.span))
  }

  private static var lookUpAttempt: String { "look up a route" }

  private mutating func send(_ request: RouteRequest) throws(NetlinkError) {
    encoder.removeAll()
    encoder.beginMessage(type: .getRoute, flags: .request, sequence: sequence)
    request.encode(into: &encoder)
    encoder.endMessage()
    do throws(Errno) {
      try encoder.withSpan { bytes throws(Errno) in try channel.send(bytes) }
    } catch {
      throw NetlinkError(.system, attempt: Self.lookUpAttempt, errno: error)
    }
  }

  /// The result of a receive.
  private enum Received {
    /// A datagram from the kernel that fits into the buffer.
    case datagram(Datagram)
    /// A datagram from another sender.
    case foreign
    /// Messages were lost.
    case loss
    /// The queue is empty.
    case nothing
  }

  private mutating func receive(blocking: Bool) throws(NetlinkError) -> Received {
    answer = nil
    if buffer.isEmpty { buffer = Array(repeating: 0, count: Self.bufferSize) }
    let datagram: Datagram
    do throws(Errno) {
      datagram = try channel.receive(into: &buffer, blocking: blocking)
    } catch .wouldBlock {
      guard !blocking else { throw NetlinkError(.timedOut, attempt: Self.lookUpAttempt) }
      isLossy = false
      return .nothing
    } catch .noBufferSpace {
      overruns += 1
      isLossy = true
      return .loss
    } catch {
      throw NetlinkError(.system, attempt: "receive changes", errno: error)
    }
    guard datagram.senderPort == 0 else {
      foreignDatagrams += 1
      return .foreign
    }
    guard datagram.count <= buffer.count else {
      buffer = Array(repeating: 0, count: datagram.count.alignedToNetlink)
      overruns += 1
      isLossy = true
      return .loss
    }
    return .datagram(datagram)
  }

  /// Delivers the events of a datagram, and returns the answer if the datagram has it.
  private mutating func decode(
    _ datagram: Datagram, awaiting wanted: UInt32?, _ handle: (consuming RouteEvent?) -> Void
  ) -> Message? {
    var unreadable = 0
    defer { malformedMessages += unreadable }
    do throws(DecodingError) {
      return try findAnswer(in: datagram, wanted, &unreadable, handle)
    } catch {
      // The start of the next message is unknown, and one of the missed messages may be the answer.
      unreadable += 1
      isLossy = true
      handle(nil)
      return nil
    }
  }

  private func findAnswer(
    in datagram: Datagram, _ wanted: UInt32?, _ unreadable: inout Int,
    _ handle: (consuming RouteEvent?) -> Void
  ) throws(DecodingError) -> Message? {
    let bytes = RawSpan(_elements: buffer.span)
    var messages = MessageReader(in: 0..<datagram.count)
    while let message = try messages.next(bytes) {
      // An announcement carries the port and the sequence of the process that made the change. In another network
      // namespace that port may equal this one.
      guard !datagram.isAnnouncement, message.header.port == channel.port else {
        do throws(DecodingError) {
          handle(try RouteEvent(message, of: bytes))
        } catch {
          unreadable += 1
          handle(nil)
        }
        continue
      }
      // Answers with another sequence belong to abandoned lookups.
      if message.header.sequence == wanted { return message }
    }
    return nil
  }
}

/// A change that the kernel announced.
///
/// Messages are large. So an event holds a reference to its own, and moves as one word.
package indirect enum RouteEvent: Hashable, Sendable {
  case link(LinkMessage)
  case linkRemoved(LinkMessage)
  case address(AddressMessage)
  case addressRemoved(AddressMessage)
  case route(RouteMessage)
  case routeRemoved(RouteMessage)
  case rule(Rule)
  case ruleRemoved(Rule)
  case neighbour(NeighbourMessage)
  case neighbourRemoved(NeighbourMessage)
  /// A change of a next-hop object, or of the shares in a resilient group.
  ///
  /// The kernel messages are `RTM_NEWNEXTHOP`, `RTM_DELNEXTHOP` and `RTM_NEWNEXTHOPBUCKET`.
  case nextHop
  /// A setting of forwarding or of the treatment of dead links, `RTM_NEWNETCONF` and `RTM_DELNETCONF`.
  case configuration
  /// A message of a type or an address family that this module does not decode.
  case other(MessageType)

  /// Decodes a message of the route family.
  package init(_ message: Message, of bytes: RawSpan) throws(DecodingError) {
    let payload = message.payload
    // The address family is the first byte of every payload.
    let family: UInt8? = try? bytes.integer(at: payload.lowerBound, before: payload.upperBound)
    if let family, !message.header.type.isOf(AddressFamily(rawValue: family)) {
      self = .other(message.header.type)
      return
    }
    switch message.header.type {
    case .newLink: self = .link(try LinkMessage(decoding: bytes, in: payload))
    case .deleteLink: self = .linkRemoved(try LinkMessage(decoding: bytes, in: payload))
    case .newAddress: self = .address(try AddressMessage(decoding: bytes, in: payload))
    case .deleteAddress: self = .addressRemoved(try AddressMessage(decoding: bytes, in: payload))
    case .newRoute: self = .route(try RouteMessage(decoding: bytes, in: payload))
    case .deleteRoute: self = .routeRemoved(try RouteMessage(decoding: bytes, in: payload))
    case .newRule: self = .rule(try Rule(decoding: bytes, in: payload))
    case .deleteRule: self = .ruleRemoved(try Rule(decoding: bytes, in: payload))
    case .newNeighbour: self = .neighbour(try NeighbourMessage(decoding: bytes, in: payload))
    case .deleteNeighbour: self = .neighbourRemoved(try NeighbourMessage(decoding: bytes, in: payload))
    case .newNextHop, .deleteNextHop, .newNextHopBucket: self = .nextHop
    case .newNetconf, .deleteNetconf: self = .configuration
    case let type: self = .other(type)
    }
  }
}

extension MessageType {
  /// Returns whether a message of this type and family has the attributes that this module decodes.
  ///
  /// Other families differ: addresses of `AF_PHONET` and `AF_MCTP` are one byte long, and messages about bridge ports
  /// (`AF_BRIDGE`) have the form of a link message, or of a neighbour, but describe something else.
  fileprivate func isOf(_ family: AddressFamily) -> Bool {
    switch self {
    case .newLink, .deleteLink: family == .unspecified
    case .newAddress, .deleteAddress, .newRoute, .deleteRoute, .newRule, .deleteRule, .newNeighbour,
      .deleteNeighbour:
      family == .ipv4 || family == .ipv6
    default: true
    }
  }
}
#endif
