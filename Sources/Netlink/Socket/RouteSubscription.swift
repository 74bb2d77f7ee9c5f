// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import POSIX

/// A subscription to the kernel's announcements about links, addresses, routes, rules, next hops, their settings and options of routers.
///
/// One owner at a time. Only ``drain(limit:informing:)`` and ``ask(_:informing:)`` receive from the socket.
package struct RouteSubscription: ~Copyable, Sendable {
  package private(set) var conversation: Conversation
  /// The addresses whose routes are announced, if not all are.
  private var routes: [ReachabilityAddress]?
  /// The addresses of the neighbours that are announced.
  private var neighbours: [ReachabilityAddress] = []
  /// The answer to the last lookup; its bytes are in the conversation's buffer.
  private var answer: Message?

  package init(over channel: any Transport) {
    conversation = Conversation(over: channel, bufferSize: 8192)
  }

  /// The number of times that announcements were lost: they arrived faster than they were read, or exceeded the buffer.
  package var overruns: Int { conversation.overruns + conversation.truncatedDatagrams }

  private var channel: any Transport { conversation.channel }

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
  package mutating func limitRoutes(to addresses: [ReachabilityAddress]?) -> Bool {
    if attachFilter(routes: addresses, neighbours) {
      routes = addresses
      return true
    }
    // An earlier filter, for other addresses, may still be installed.
    routes = nil
    if !attachFilter(routes: nil, neighbours) { leaveNeighbours() }
    return false
  }

  /// Whether announcements of neighbours are delivered.
  package var watchesNeighbours: Bool { !neighbours.isEmpty }

  /// Delivers announcements of neighbours that have one of the addresses, and a few others; of none without addresses.
  ///
  /// The group is joined only behind a filter, since a network may have thousands of neighbours.
  ///
  /// - Returns: Whether the kernel accepted the filter.
  package mutating func watchNeighbours(_ addresses: [ReachabilityAddress]) -> Bool {
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
  private func attachFilter(routes: [ReachabilityAddress]?, _ neighbours: [ReachabilityAddress]) -> Bool {
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
  /// - Parameter receiver: Receives each announcement while it is in the socket's buffer.
  package mutating func drain(
    limit: Int, informing receiver: inout some AnnouncementReceiver & ~Copyable
  ) throws(NetlinkError) -> Outcome {
    answer = nil
    for _ in 0..<limit {
      let isEmpty = try !conversation.receiveAnnouncements({ "receive changes" }) {
        bytes, message throws(DecodingError) in
        try receiver.receive(message, of: bytes)
      } loss: {
        receiver.receiveLoss()
      }
      if isEmpty { return .empty }
    }
    return .limitReached
  }

  /// Looks up one route, and delivers the announcements that precede the answer.
  ///
  /// The answer shares the queue with the announcements, so both arrive in the order in which the kernel sent them. The
  /// answer stays available until the next use of the socket.
  ///
  /// - Parameter receiver: As for ``drain(limit:informing:)``.
  package mutating func ask(
    _ request: (inout MessageEncoder) -> Void, informing receiver: inout some AnnouncementReceiver & ~Copyable
  ) throws(NetlinkError) {
    var found: Message?
    try ask(1, informing: &receiver) {
      request(&$1)
    } answered: { _, _, message in
      found = message
    }
    answer = found
  }

  /// Looks up several routes, at most ``Conversation/batchLimit``, and delivers their answers and the announcements among them.
  ///
  /// - Parameters:
  ///   - receiver: As for ``drain(limit:informing:)``.
  ///   - encode: Writes the request at a position, which is the payload of a ``RouteRequest``.
  ///   - answered: Receives each answer with the position of its request.
  package mutating func ask(
    _ count: Int, informing receiver: inout some AnnouncementReceiver & ~Copyable,
    encode: (Int, inout MessageEncoder) -> Void, answered: (Int, RawSpan, Message) -> Void
  ) throws(NetlinkError) {
    answer = nil
    // One datagram at a time: an announcement may be longer than the answers that slots are for.
    try conversation.exchange(
      { Self.lookUpAttempt }, type: .getRoute, count: count, usesSlots: false, encode: encode
    ) { bytes, message throws(DecodingError) in
      try receiver.receive(message, of: bytes)
    } loss: {
      receiver.receiveLoss()
    } reply: { position, bytes, message in
      answered(position, bytes, message)
      return .answer
    }
  }

  /// Decodes the answer to the last lookup.
  package func readAnswer() throws(NetlinkError) -> Result<RouteMessage, Errno> {
    try withAnswer { message, bytes throws(DecodingError) in try message.lookup(of: bytes) }
  }

  /// Passes on the answer to the last lookup.
  package func withAnswer<Value>(
    _ body: (Message, RawSpan) throws(DecodingError) -> Value
  ) throws(NetlinkError) -> Value {
    do throws(DecodingError) {
      guard let answer else { throw DecodingError(.badLength, at: 0) }
      return try body(answer, RawSpan(_elements: conversation.buffer.span))
    } catch {
      throw NetlinkError(.malformed, attempt: Self.lookUpAttempt, detail: error.description)
    }
  }

  /// The answer to the last lookup, to recognize; `nil` if it has an unusual form.
  package var knownAnswer: KnownAnswer? {
    guard let answer else { return nil }
    return KnownAnswer(answer, of: RawSpan(_elements: conversation.buffer.span))
  }

  /// Returns whether the answer to the last lookup is this one, regardless of the destination.
  package func isAnswered(by known: KnownAnswer) -> Bool {
    guard let answer else { return false }
    return known.isSame(as: answer, of: RawSpan(_elements: conversation.buffer.span))
  }

  private static var lookUpAttempt: String { "look up a route" }
}

/// What a subscription's announcements are for.
package protocol AnnouncementReceiver: ~Copyable {
  /// Receives an announcement, whose bytes are valid during the call.
  mutating func receive(_ message: Message, of bytes: RawSpan) throws(DecodingError)

  /// Records that announcements were lost, after an overrun or with an undecodable message: state derived from earlier ones is
  /// then invalid.
  mutating func receiveLoss()
}

/// A change that the kernel announced.
///
/// Messages are large. So an event holds a reference to its own, and moves as one word.
package indirect enum RouteEvent: Equatable, Sendable {
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
  /// Options of a router advertisement.
  case routerOption(RouterOption)
  /// A message of a type or an address family that this module does not decode.
  case other(MessageType)

  /// Decodes a message of the route family.
  package init(_ message: Message, of bytes: RawSpan) throws(DecodingError) {
    let payload = message.payload
    guard message.hasKnownFamily(bytes) else {
      self = .other(message.header.type)
      return
    }
    switch message.header.type {
    case .newLink: self = .link(try LinkMessage(decoding: bytes, in: payload))
    case .deleteLink: self = .linkRemoved(try LinkMessage(decoding: bytes, in: payload))
    case .newAddress: self = .address(try AddressMessage(decoding: bytes, in: payload))
    case .deleteAddress: self = .addressRemoved(try AddressMessage(decoding: bytes, in: payload))
    case .newRoute: self = .route(try RouteMessage(announcedBy: message, of: bytes))
    case .deleteRoute: self = .routeRemoved(try RouteMessage(announcedBy: message, of: bytes))
    case .newRule: self = .rule(try Rule(decoding: bytes, in: payload))
    case .deleteRule: self = .ruleRemoved(try Rule(decoding: bytes, in: payload))
    case .newNeighbour: self = .neighbour(try NeighbourMessage(decoding: bytes, in: payload))
    case .deleteNeighbour: self = .neighbourRemoved(try NeighbourMessage(decoding: bytes, in: payload))
    case .newNextHop, .deleteNextHop, .newNextHopBucket: self = .nextHop
    case .newNetconf, .deleteNetconf: self = .configuration
    case .newRouterOption: self = .routerOption(try RouterOption(decoding: bytes, in: payload))
    case let type: self = .other(type)
    }
  }
}

extension RouteMessage {
  /// Decodes the announcement of a route.
  package init(announcedBy message: Message, of bytes: RawSpan) throws(DecodingError) {
    try self.init(decoding: bytes, in: message.payload)
    isReplacement = message.header.type == .newRoute && message.header.flags.contains(.replace)
  }
}

extension Message {
  /// Whether this announces a route, and is of a family that this module decodes.
  package func announcesRoute(_ bytes: RawSpan) -> Bool {
    (header.type == .newRoute || header.type == .deleteRoute) && hasKnownFamily(bytes)
  }

  /// Whether this module decodes the family, the first byte of every payload.
  fileprivate func hasKnownFamily(_ bytes: RawSpan) -> Bool {
    let family: UInt8? = try? bytes.integer(at: payload.lowerBound, before: payload.upperBound)
    return family.map { header.type.isOf(AddressFamily(rawValue: $0)) } ?? true
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
