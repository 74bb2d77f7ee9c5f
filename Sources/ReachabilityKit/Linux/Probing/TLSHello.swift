// SPDX-License-Identifier: Apache-2.0
/// The first message of a TLS client, padded to a size.
///
/// It offers TLS 1.2 only, so that a server that accepts it sends its certificates next.
enum TLSHello {
  /// The highest number of bytes in a record (RFC 8446, section 5.1).
  private static var recordLimit: Int { 1 << 14 }

  /// Returns the message as a record.
  ///
  /// - Parameter count: The number of bytes, of which padding makes up what is missing (RFC 7685).
  /// - Returns: The record, or `nil` if a record has less room, or the message needs more.
  static func bytes(padded count: Int) -> [UInt8]? {
    // ECDHE and RSA, with AES in GCM and CBC, and ChaCha20.
    let suites = vector(
      [0xc02b, 0xc02c, 0xc02f, 0xc030, 0xcca9, 0xcca8, 0xc013, 0xc014, 0x009c, 0x002f].flatMap(number), 2)
    let random = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    // Version 1.2, random bytes, no session, suites, no compression.
    let start = number(0x0303) + random + [0] + suites + [1, 0]
    let extensions = [
      // supported_groups: x25519, secp256r1, secp384r1.
      (10, vector([0x001d, 0x0017, 0x0018].flatMap(number), 2)),
      // ec_point_formats: uncompressed.
      (11, vector([0], 1)),
      // signature_algorithms: ECDSA, RSA-PSS and RSA.
      (13, vector([0x0403, 0x0503, 0x0804, 0x0805, 0x0401, 0x0501, 0x0201].flatMap(number), 2)),
      // extended_master_secret, and renegotiation_info for a first handshake.
      (23, []), (0xff01, vector([], 1)),
    ].flatMap { type, data in number(type) + vector(data, 2) }
    // The headers: of the record 5, of the message 4, of the extensions 2, of the padding 4.
    let padding = count - 5 - 4 - start.count - 2 - extensions.count - 4
    guard padding >= 0, count - 5 <= recordLimit else { return nil }
    let all = extensions + number(21) + vector([UInt8](repeating: 0, count: padding), 2)
    // client_hello, in a record with a handshake of version 1.0 (RFC 5246, appendix E.1).
    return [22] + number(0x0301) + vector([1] + vector(start + vector(all, 2), 3), 2)
  }

  /// Two bytes, the more significant one first.
  private static func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xff), UInt8(value & 0xff)] }

  /// Bytes behind their number, which has `size` bytes.
  private static func vector(_ bytes: [UInt8], _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(bytes.count >> (8 * $0) & 0xff) } + bytes
  }
}
