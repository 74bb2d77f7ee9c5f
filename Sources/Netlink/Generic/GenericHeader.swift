#if os(Linux)
/// The second header of every message of generic netlink.
///
///      0        1        2        3
///     0 | command| version|    reserved     |
///
/// The kernel structure is `genlmsghdr`. The type of the message identifies its family, by a number that the kernel
/// assigned when the family was registered.
package struct GenericHeader: Hashable, Sendable {
  package static var size: Int { 4 }

  package var command: GenericCommand
  package var version: UInt8

  package init(_ command: GenericCommand, version: UInt8) {
    self.command = command
    self.version = version
  }

  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    command = GenericCommand(rawValue: try bytes.integer(at: start, before: end))
    version = try bytes.integer(at: start + 1, before: end)
    guard end - start >= Self.size else { throw DecodingError(.truncated, at: start + 2) }
  }

  /// Appends the header.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(command.rawValue)
    encoder.append(version)
    encoder.appendZeros(2)
  }
}
#endif
