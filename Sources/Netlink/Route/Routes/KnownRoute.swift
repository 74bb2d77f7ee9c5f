#if os(Linux)
/// The bytes of a lookup's answer, to recognize the same route in the answer for another destination.
package struct KnownRoute: Sendable {
  /// The effect on packets.
  package let kind: RouteKind
  private let bytes: [UInt8]
  /// The range of the destination address, which repeats the request's.
  private let destination: Range<Int>
  /// The offset of `rta_cacheinfo`, some of whose counters do not describe the route.
  private let counters: Int

  /// Copies an answer; returns `nil` if it is not a route of the usual form.
  package init?(_ answer: Message, of bytes: RawSpan) {
    guard answer.header.type == .newRoute, let own = try? bytes.bytes(in: answer.payload),
      let (destination, counters) = try? Self.ignoredParts(of: RawSpan(_elements: own.span))
    else { return nil }
    self.bytes = own
    self.destination = destination
    self.counters = counters
    // RouteMessage has the drawing of the header.
    kind = RouteKind(rawValue: own[7])
  }

  private static func ignoredParts(
    of bytes: RawSpan
  ) throws(DecodingError) -> (destination: Range<Int>, counters: Int)? {
    guard bytes.byteCount >= 12 else { return nil }
    var destination: Range<Int>?
    var attributes = AttributeReader(in: 12..<bytes.byteCount)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case RouteAttribute.destination: destination = attribute.value
      case RouteAttribute.cacheInfo where attribute.value.count >= 20:
        guard let destination else { return nil }
        return (destination, attribute.value.lowerBound)
      default: break
      }
    }
    return nil
  }

  /// Returns whether an answer is this route, regardless of the destination.
  package func isSame(as answer: Message, of bytes: RawSpan) -> Bool {
    guard answer.payload.count == self.bytes.count, answer.header.type == .newRoute else { return false }
    let own = RawSpan(_elements: self.bytes.span)
    let start = answer.payload.lowerBound
    func isEqual(_ part: Range<Int>) -> Bool {
      bytes.isEqual(to: own.extracting(part), at: start + part.lowerBound)
    }
    // The comparison excludes rta_clntref, rta_lastuse and rta_used of rta_cacheinfo.
    return isEqual(0..<destination.lowerBound) && isEqual(destination.upperBound..<counters)
      && isEqual(counters + 8..<counters + 16) && isEqual(counters + 20..<own.byteCount)
  }
}
#endif
