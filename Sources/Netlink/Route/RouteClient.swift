#if os(Linux)
import InternetProtocol

/// A table as the kernel listed it.
package struct Listing<Entry> {
  package var entries: [Entry] = []
  /// Whether the table changed during each attempt to list it: entries may be missing, or gone by now.
  package var isInterrupted = false
  /// What was passed over since it could not be read: the index of the link that it is about, in lists of links and
  /// addresses, or 0 if not even that can be read.
  package var skipped: [Int32] = []

  package init() {}
}

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
  package mutating func links() throws(NetlinkError) -> Listing<LinkMessage> {
    try list("list links", .getLink) { encoder in
      LinkMessage().encode(into: &encoder)
      // RTEXT_FILTER_SKIP_STATS, which spares some of the counters that make most of a link's message.
      encoder.attribute(LinkAttribute.extensionMask, integer: UInt32(1 << 3))
    } entry: { event in
      if case .link(let message) = event { message } else { nil }
    }
  }

  /// Lists the IPv4 and IPv6 addresses; the request is `RTM_GETADDR`.
  package mutating func addresses() throws(NetlinkError) -> Listing<AddressMessage> {
    try list("list addresses", .getAddress) { encoder in
      encoder.appendZeros(8)
    } entry: { event in
      if case .address(let message) = event { message } else { nil }
    }
  }

  /// Lists the policy rules of a family; the request is `RTM_GETRULE`.
  package mutating func rules(_ family: AddressFamily) throws(NetlinkError) -> Listing<RuleMessage> {
    try list("list rules", .getRule) { encoder in
      encoder.append(family.rawValue)
      encoder.appendZeros(11)
    } entry: { event in
      if case .rule(let message) = event { message } else { nil }
    }
  }

  /// Lists the next-hop objects; the request is `RTM_GETNEXTHOP`.
  package mutating func nextHops() throws(NetlinkError) -> Listing<NexthopMessage> {
    try list("list next hops", .getNexthop) { encoder in
      encoder.appendZeros(8)
    } entry: { event in
      if case .nexthop(let message) = event { message } else { nil }
    }
  }

  /// Lists a table; `entry` returns `nil` for what belongs to another.
  private mutating func list<Entry>(
    _ attempt: String, _ type: MessageType, encode: (inout MessageEncoder) -> Void,
    entry: (RouteEvent) -> Entry?
  ) throws(NetlinkError) -> Listing<Entry> {
    var listing = Listing<Entry>()
    let heldStill = try conversation.dump(attempt, type: type, encode: encode) {
      listing = Listing()
    } each: { bytes, message throws(DecodingError) in
      do throws(DecodingError) {
        if let entry = entry(try RouteEvent(message, of: bytes)) { listing.entries.append(entry) }
      } catch {
        let payload = message.payload
        listing.skipped.append(
          (try? bytes.integer(at: payload.lowerBound + 4, before: payload.upperBound)) ?? 0)
        throw error
      }
    }
    listing.isInterrupted = !heldStill
    return listing
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
  ) throws(NetlinkError) -> Listing<RouteMessage> {
    // Whoever asks strictly is heard.
    try? conversation.channel.setStrictChecking(true)
    defer { try? conversation.channel.setStrictChecking(false) }
    var pattern = RouteMessage()
    pattern.family = family
    pattern.kind = kind
    return try list("list routes", .getRoute) { encoder in
      pattern.encode(into: &encoder)
    } entry: { event in
      guard case .route(let route) = event, route.kind == kind, !route.flags.contains(.cloned) else {
        return nil
      }
      return route
    }
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
