/// A DNS query for a host's IPv4 address, which also checks whether a message answers it.
///
/// The format is that of RFC 1035, section 4.
package struct NameQuestion: Sendable {
  /// The message to send.
  package let bytes: [UInt8]

  /// Creates a query.
  ///
  /// - Parameter number: The identifier that matches an answer to its query; a random one prevents forged answers.
  package init(_ name: ReachabilityTarget.HostName, number: UInt16 = .random(in: 0 ... .max)) {
    // The identifier, the bit for recursion (RD), and one question.
    var bytes: [UInt8] = [UInt8(number >> 8), UInt8(number & 0xff), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    for label in name.text.split(separator: ".") {
      bytes.append(UInt8(label.utf8.count))
      bytes += label.utf8
    }
    // The root, then the type A and the class IN.
    self.bytes = bytes + [0, 0, 1, 0, 1]
  }

  /// Returns the code of a message (RCODE), or `nil` if it does not answer this query.
  package func code(of answer: [UInt8]) -> UInt8? {
    // The same identifier, and the bit for answers (QR).
    guard answer.count >= 12, answer[0] == bytes[0], answer[1] == bytes[1], answer[2] & 0x80 != 0 else {
      return nil
    }
    // Servers that could not parse the query may omit the question.
    let count = Int(answer[4]) << 8 | Int(answer[5])
    guard count > 0 else { return answer[3] & 0xf }
    let question = bytes[12...]
    guard answer[12...].prefix(question.count).map(Self.lowered) == question.map(Self.lowered) else {
      return nil
    }
    return answer[3] & 0xf
  }

  /// Letters of either case are equal (RFC 4343).
  private static func lowered(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
