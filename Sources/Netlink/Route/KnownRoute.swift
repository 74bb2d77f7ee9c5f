#if os(Linux)
/// A route that the kernel answered a look-up with, as it came, to tell whether it says the same of another destination.
package struct KnownRoute: Sendable {
  /// What becomes of packets.
  package let kind: RouteKind
  private let bytes: [UInt8]
  /// Where the destination's address stands, which is that of the question.
  private let destination: Range<Int>
  /// Where counters begin that say nothing of the route, which are the last thing but one that is needed.
  private let counters: Int

  /// Keeps an answer; `nil` if it is no route, or none of the usual form.
  package init?(_ answer: Message, of bytes: RawSpan) {
    guard answer.header.type == .newRoute, let own = try? bytes.bytes(in: answer.payload),
      let (destination, counters) = try? Self.ignoredParts(of: RawSpan(_elements: own.span))
    else { return nil }
    self.bytes = own
    self.destination = destination
    self.counters = counters
    // The message's own header is drawn at ``RouteMessage``.
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

  /// Whether an answer is this route, whatever its destination is.
  package func isSame(as answer: Message, of bytes: RawSpan) -> Bool {
    guard answer.payload.count == self.bytes.count, answer.header.type == .newRoute else { return false }
    let own = RawSpan(_elements: self.bytes.span)
    let start = answer.payload.lowerBound
    func isEqual(_ part: Range<Int>) -> Bool {
      bytes.isEqual(to: own.extracting(part), at: start + part.lowerBound)
    }
    // Of rta_cacheinfo, rta_clntref and rta_lastuse are left out, and behind rta_expires and rta_error, rta_used.
    return isEqual(0..<destination.lowerBound) && isEqual(destination.upperBound..<counters)
      && isEqual(counters + 8..<counters + 16) && isEqual(counters + 20..<own.byteCount)
  }
}
#endif
