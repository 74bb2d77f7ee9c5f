#if os(Linux)
import InternetProtocol

/// The questions that can be put to the kernel's routing tables.
///
/// One owner at a time; each call sends, and returns when the kernel has answered, which it does before the send
/// returns. No call touches a network.
package struct RouteClient<Channel: Transport & ~Copyable>: ~Copyable, Sendable {
  package private(set) var conversation: Conversation<Channel>

  package init(over channel: consuming Channel) {
    conversation = Conversation(over: channel)
  }

  /// Lists the links; the request is `RTM_GETLINK`.
  package mutating func links() throws(NetlinkError) -> [LinkMessage] {
    var links: [LinkMessage] = []
    try conversation.dump("list links", type: .getLink) { encoder in
      LinkMessage().encode(into: &encoder)
      // RTEXT_FILTER_SKIP_STATS: counters make most of a link's message.
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

  /// Asks what becomes of packets, many at a time, and returns the answers in the questions' order.
  ///
  /// The request is `RTM_GETROUTE`; a question is a route with a destination and, where wanted, a source, an
  /// output interface, a mark, and the flags `lookupTable` and `exactMatch`.
  package mutating func routes(
    matching questions: [RouteMessage]
  ) throws(NetlinkError) -> [Result<RouteMessage, Errno>] {
    var answers: [Result<RouteMessage, Errno>] = []
    answers.reserveCapacity(questions.count)
    var start = 0
    while start < questions.count {
      let count = min(questions.count - start, Conversation<Channel>.batchLimit)
      answers.append(contentsOf: repeatElement(.failure(.invalidArgument), count: count))
      try conversation.batch("look up routes", type: .getRoute, count: count) { index, encoder in
        questions[start + index].encode(into: &encoder)
      } reply: { index, bytes, answer throws(DecodingError) in
        switch answer {
        case .message(let message):
          answers[start + index] = .success(try RouteMessage(decoding: bytes, in: message.payload))
        case .acknowledgement(let acknowledgement):
          answers[start + index] = .failure(acknowledgement.error ?? .invalidArgument)
        }
      }
      start += count
    }
    return answers
  }
}
#endif
