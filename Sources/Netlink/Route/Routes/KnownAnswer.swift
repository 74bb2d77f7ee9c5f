#if os(Linux)
/// The bytes of a lookup's answer, to recognize the same route in the answer for another destination, or the same error.
package struct KnownAnswer: Equatable, Sendable {
  private let type: MessageType
  private let bytes: [UInt8]
  /// The range of the destination address, which repeats the request's.
  private let destination: Range<Int>
  /// The offset of `rta_cacheinfo`, some of whose counters do not describe the route; the end of routes without it.
  private let counters: Int

  /// Copies an answer; returns `nil` if it is neither a route of the usual form nor an error.
  package init?(_ answer: Message, of bytes: RawSpan) {
    type = answer.header.type
    // The number of an error decides. What follows repeats the request, or explains.
    let payload = type == .error ? answer.payload.prefix(4) : answer.payload
    guard let own = try? bytes.bytes(in: payload) else { return nil }
    self.bytes = own
    if type == .error, own.count == 4 {
      (destination, counters) = (4..<4, 4)
    } else if type == .newRoute, let ignored = try? Self.ignoredParts(of: RawSpan(_elements: own.span)) {
      (destination, counters) = ignored
    } else {
      return nil
    }
  }

  private static func ignoredParts(
    of bytes: RawSpan
  ) throws(DecodingError) -> (destination: Range<Int>, counters: Int) {
    // RouteMessage has the drawing of the header.
    guard bytes.byteCount >= 12 else { throw DecodingError(.truncated, at: 0) }
    // The entry of a default route has no destination, and none for IPv4 has counters.
    var destination = 12..<12
    var attributes = AttributeReader(in: 12..<bytes.byteCount)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case RouteAttribute.destination: destination = attribute.value
      case RouteAttribute.cacheInfo where attribute.value.count >= 20:
        return (destination, attribute.value.lowerBound)
      default: break
      }
    }
    return (destination, bytes.byteCount)
  }

  /// Returns whether an answer is this error, or this route, regardless of the destination.
  package func isSame(as answer: Message, of bytes: RawSpan) -> Bool {
    let count = type == .error ? min(answer.payload.count, 4) : answer.payload.count
    guard count == self.bytes.count, answer.header.type == type else { return false }
    let own = RawSpan(_elements: self.bytes.span)
    let start = answer.payload.lowerBound
    func isEqual(_ part: Range<Int>) -> Bool {
      bytes.isEqual(to: own.extracting(part), at: start + part.lowerBound)
    }
    guard isEqual(0..<destination.lowerBound), isEqual(destination.upperBound..<counters) else {
      return false
    }
    // The comparison excludes rta_clntref, rta_lastuse and rta_used of rta_cacheinfo.
    return counters == count
      || isEqual(counters + 8..<counters + 16) && isEqual(counters + 20..<own.byteCount)
  }
}
#endif
