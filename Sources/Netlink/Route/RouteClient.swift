#if os(Linux)
import InternetProtocol

/// The questions that can be put to the kernel's routing tables.
///
/// One owner at a time; each call sends, and returns when the kernel has answered, which it does before the send
/// returns. No call touches a network.
package struct RouteClient: ~Copyable, Sendable {
  package private(set) var conversation: Conversation

  package init(over channel: any Transport) {
    conversation = Conversation(over: channel)
  }

  /// Lists the links; the request is `RTM_GETLINK`.
  package mutating func links() throws(NetlinkError) -> [LinkMessage] {
    var links: [LinkMessage] = []
    try conversation.dump("list links", type: .getLink) { encoder in
      LinkMessage().encode(into: &encoder)
      // RTEXT_FILTER_SKIP_STATS, which spares some of the counters that make most of a link's message.
      encoder.attribute(LinkAttribute.extensionMask, integer: UInt32(1 << 3))
    } restart: {
      links.removeAll()
    } each: { bytes, message throws(DecodingError) in
      if message.header.type == .newLink {
        links.append(try LinkMessage(decoding: bytes, in: message.payload))
      }
    }
    return links
  }

  /// Lists the addresses of all families; the request is `RTM_GETADDR`.
  package mutating func addresses() throws(NetlinkError) -> [AddressMessage] {
    var addresses: [AddressMessage] = []
    try conversation.dump("list addresses", type: .getAddress) { encoder in
      encoder.appendZeros(8)
    } restart: {
      addresses.removeAll()
    } each: { bytes, message throws(DecodingError) in
      guard message.header.type == .newAddress else { return }
      addresses.append(try AddressMessage(decoding: bytes, in: message.payload))
    }
    return addresses
  }

  /// Lists the policy rules of a family; the request is `RTM_GETRULE`.
  package mutating func rules(_ family: AddressFamily) throws(NetlinkError) -> [RuleMessage] {
    var rules: [RuleMessage] = []
    try conversation.dump("list rules", type: .getRule) { encoder in
      encoder.append(family.rawValue)
      encoder.appendZeros(11)
    } restart: {
      rules.removeAll()
    } each: { bytes, message throws(DecodingError) in
      if message.header.type == .newRule {
        rules.append(try RuleMessage(decoding: bytes, in: message.payload))
      }
    }
    return rules
  }

  /// Lists the next-hop objects; the request is `RTM_GETNEXTHOP`.
  package mutating func nextHops() throws(NetlinkError) -> [NexthopMessage] {
    var nextHops: [NexthopMessage] = []
    try conversation.dump("list next hops", type: .getNexthop) { encoder in
      encoder.appendZeros(8)
    } restart: {
      nextHops.removeAll()
    } each: { bytes, message throws(DecodingError) in
      guard message.header.type == .newNexthop else { return }
      nextHops.append(try NexthopMessage(decoding: bytes, in: message.payload))
    }
    return nextHops
  }

  /// Returns what is known of a neighbour on a link, or `nil` if nobody ever sent there; the request is `RTM_GETNEIGH`.
  ///
  /// - Throws: ``NetlinkError`` with code `refused` by kernels older than 5.0, which don't answer that.
  package mutating func neighbour(
    _ address: IPAddress, on index: Int32
  ) throws(NetlinkError) -> NeighbourMessage? {
    var question = NeighbourMessage()
    question.family = address.bitWidth == 32 ? .ipv4 : .ipv6
    question.index = index
    question.destination = address
    let attempt = "ask about a neighbour"
    let answer = try conversation.request(attempt, type: .getNeighbour) { encoder in
      question.encode(into: &encoder)
    } reply: { bytes, answer throws(DecodingError) -> Result<NeighbourMessage, Acknowledgement>? in
      switch answer {
      case .acknowledgement(let acknowledgement): return .failure(acknowledgement)
      case .message(let message):
        guard message.header.type == .newNeighbour else { return nil }
        return .success(try NeighbourMessage(decoding: bytes, in: message.payload))
      }
    }
    switch answer {
    case .success(let message): return message
    case .failure(let acknowledgement) where acknowledgement.error == .notFound: return nil
    case .failure(let acknowledgement):
      throw NetlinkError(
        .refused, attempt: attempt, errno: acknowledgement.error, detail: acknowledgement.text)
    }
  }

  /// Lists the routes of a family that are of a kind; the request is `RTM_GETROUTE`.
  ///
  /// The kernel goes over all its routes for that, which takes a second for some millions, and sends only these; kernels
  /// older than 4.20 send them all.
  package mutating func routes(
    _ family: AddressFamily, _ kind: RouteKind
  ) throws(NetlinkError) -> [RouteMessage] {
    // Whoever asks strictly is heard.
    try? conversation.channel.setStrictChecking(true)
    defer { try? conversation.channel.setStrictChecking(false) }
    var pattern = RouteMessage()
    pattern.family = family
    pattern.kind = kind
    var routes: [RouteMessage] = []
    try conversation.dump("list routes", type: .getRoute) { encoder in
      pattern.encode(into: &encoder)
    } restart: {
      routes.removeAll()
    } each: { bytes, message throws(DecodingError) in
      guard message.header.type == .newRoute else { return }
      let route = try RouteMessage(decoding: bytes, in: message.payload)
      if route.kind == kind, !route.flags.contains(.cloned) { routes.append(route) }
    }
    return routes
  }

  /// Asks what becomes of packets, many at a time, and hands out each answer with the question's position.
  ///
  /// - Parameters:
  ///   - count: How many questions there are.
  ///   - request: Makes the question at a position.
  ///   - answer: Gets each answer as it lies in the bytes; ``Message/lookup(of:)`` reads it.
  /// - Throws: What went wrong as a whole; that a packet would not be sent is an answer.
  package mutating func lookUp(
    _ count: Int, request: (Int) -> RouteRequest,
    answer: (Int, RawSpan, Message) throws(DecodingError) -> Void
  ) throws(NetlinkError) {
    for start in stride(from: 0, to: count, by: Conversation.batchLimit) {
      let count = min(count - start, Conversation.batchLimit)
      try conversation.batch("look up routes", type: .getRoute, count: count) { index, encoder in
        request(start + index).encode(into: &encoder)
      } reply: { index, bytes, reply throws(DecodingError) in
        try answer(start + index, bytes, reply)
      }
    }
  }
}
#endif
