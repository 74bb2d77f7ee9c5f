// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol

/// A client for the kernel's routing tables.
///
/// One owner at a time. Every call returns with the kernel's answer, which is available as soon as the request is sent.
/// No call causes network traffic.
package struct RouteClient: ~Copyable, Sendable {
  package private(set) var conversation: Conversation

  package init(over channel: any Transport) {
    conversation = Conversation(over: channel)
  }

  /// Omits some of the counters that make up most of a link message, `RTEXT_FILTER_SKIP_STATS`.
  private static var skipStatistics: UInt32 { 1 << 3 }

  /// Lists the links; the request is `RTM_GETLINK`.
  package mutating func links() throws(NetlinkError) -> Listing<LinkMessage> {
    try list("list links", .getLink) { encoder in
      encoder.appendZeros(16)
      encoder.attribute(LinkAttribute.extensionMask, integer: Self.skipStatistics)
    } entry: { event in
      if case .link(let message) = event { message } else { nil }
    }
  }

  /// Returns a link, or `nil` if there is none; the request is `RTM_GETLINK`.
  package mutating func link(_ index: Int32) throws(NetlinkError) -> LinkMessage? {
    try conversation.request("read a link", type: .getLink) { encoder in
      encoder.appendZeros(4)
      encoder.append(index)
      encoder.appendZeros(8)
      encoder.attribute(LinkAttribute.extensionMask, integer: Self.skipStatistics)
    } reply: { bytes, answer throws(DecodingError) -> LinkMessage?? in
      guard case .message(let message) = answer else { return .some(nil) }
      guard message.header.type == .newLink else { return nil }
      return try LinkMessage(decoding: bytes, in: message.payload)
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
  package mutating func rules(_ family: AddressFamily) throws(NetlinkError) -> Listing<Rule> {
    try list("list rules", .getRule) { encoder in
      encoder.append(family.rawValue)
      encoder.appendZeros(11)
    } entry: { event in
      if case .rule(let message) = event { message } else { nil }
    }
  }

  /// Lists a table; `entry` returns `nil` for entries of other tables.
  private mutating func list<Entry>(
    _ attempt: String, _ type: MessageType, encode: (inout MessageEncoder) -> Void,
    entry: (RouteEvent) -> Entry?
  ) throws(NetlinkError) -> Listing<Entry> {
    var listing = Listing<Entry>()
    let isStable = try conversation.dump(attempt, type: type, encode: encode) {
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
    listing.isInterrupted = !isStable
    return listing
  }

  /// Lists the neighbours of all links; the request is `RTM_GETNEIGH`.
  package mutating func neighbours() throws(NetlinkError) -> Listing<NeighbourMessage> {
    try list("list neighbours", .getNeighbour) { encoder in
      encoder.appendZeros(12)
    } entry: { event in
      if case .neighbour(let message) = event { message } else { nil }
    }
  }

  /// Returns the kernel's entry for a neighbour on a link, or `nil` if there is none; the request is `RTM_GETNEIGH`.
  ///
  /// - Throws: ``NetlinkError`` with code `refused` on kernels before 5.0, which lack this request.
  package mutating func neighbour(
    _ address: ReachabilityAddress, on index: Int32
  ) throws(NetlinkError) -> NeighbourMessage? {
    let attempt = "ask about a neighbour"
    let answer = try conversation.request(attempt, type: .getNeighbour) { encoder in
      let family: AddressFamily = address.bitWidth == 32 ? .ipv4 : .ipv6
      encoder.append(family.rawValue)
      encoder.appendZeros(3)
      encoder.append(index)
      encoder.appendZeros(4)
      encoder.attribute(NeighbourAttribute.destination, address: address)
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

  /// Returns the packet counters of a link, or `nil` if the kernel refuses; the request is `RTM_GETSTATS` (Linux 4.7).
  package mutating func statistics(of index: Int32) throws(NetlinkError) -> StatisticsMessage? {
    try conversation.request("read the counters of a link", type: .getStatistics) { encoder in
      encoder.appendZeros(4)
      encoder.append(index)
      encoder.append(StatisticsMessage.countersGroup)
    } reply: { bytes, answer throws(DecodingError) -> StatisticsMessage?? in
      guard case .message(let message) = answer else { return .some(nil) }
      guard message.header.type == .newStatistics else { return nil }
      return try StatisticsMessage(decoding: bytes, in: message.payload)
    }
  }

  /// Lists the routes of every table that match a destination; the request is `RTM_GETROUTE`.
  ///
  /// In each table, routes of the same prefix keep the kernel's order of preference. The kernel sends all its routes,
  /// which takes some seconds for a million.
  package mutating func routes(to destination: ReachabilityAddress) throws(NetlinkError) -> Listing<
    RouteMessage
  > {
    try list("list routes", .getRoute) { encoder in
      let family: AddressFamily = destination.bitWidth == 32 ? .ipv4 : .ipv6
      encoder.append(family.rawValue)
      encoder.appendZeros(11)
    } entry: { event in
      guard case .route(let route) = event, !route.flags.contains(.cloned),
        route.prefix?.contains(destination) == true
      else { return nil }
      return route
    }
  }

  /// Lists the next hops with gateways of all routes of a family, each once; the request is `RTM_GETROUTE`.
  package mutating func nextHops(_ family: AddressFamily) throws(NetlinkError) -> [NextHop] {
    var hops: Set<NextHop> = []
    let _: Listing<RouteMessage> = try list("list routes", .getRoute) { encoder in
      encoder.append(family.rawValue)
      encoder.appendZeros(11)
    } entry: { event in
      guard case .route(let route) = event else { return nil }
      var single = NextHop()
      (single.gateway, single.interface) = (route.gateway, route.interface ?? 0)
      for var hop in [single] + route.nextHops where hop.gateway != nil {
        (hop.flags, hop.weight) = ([], 0)
        hops.insert(hop)
      }
      return nil
    }
    return hops.sorted {
      ($0.interface, "\($0.gateway.map(\.description) ?? "")") < (
        $1.interface, "\($1.gateway.map(\.description) ?? "")"
      )
    }
  }

  /// Looks up routes, many at a time, and passes on each answer with its request's position.
  ///
  /// - Parameters:
  ///   - count: The number of requests.
  ///   - request: Returns the request at a position.
  ///   - answer: Receives each answer as a message in the bytes; ``Message/lookup(of:)`` decodes it.
  /// - Throws: The failure of the conversation; a missing route is an answer.
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

/// The entries of a table as the kernel listed them.
package struct Listing<Entry> {
  package var entries: [Entry] = []
  /// Whether the table changed during every attempt, so that entries may be missing or gone.
  package var isInterrupted = false
  /// One number for each undecodable entry: the index of its link in lists of links and addresses, or 0 if that is
  /// undecodable too.
  package var skipped: [Int32] = []

  package init() {}

  /// Whether the entries are all entries of one moment.
  package var isComplete: Bool { !isInterrupted && skipped.isEmpty }
}
#endif
