// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
@testable import Netlink

/// A recorded message: a file of hexadecimal bytes with comments that name them.
struct Fixture: Sendable {
  let name: String
  let bytes: [UInt8]
  /// The commented pieces, in order.
  let fields: [Field]

  /// The bytes of a line, and of the following lines that are indented or have no comment.
  struct Field: Equatable, Sendable {
    /// The first word of the comment, for example `IFLA_MTU` or `rtm_family`.
    var name: String
    var range: Range<Int>

    /// Whether this is an attribute, not a header field.
    var isAttribute: Bool { name.first?.isUppercase ?? false }
  }

  init(_ name: String) throws {
    let file = Self.folder.appending(component: "\(name).hex")
    self.name = name
    (bytes, fields) = try Self.parse(String(contentsOf: file, encoding: .utf8))
  }

  /// The names of all recorded messages.
  static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .map { $0.deletingPathExtension().lastPathComponent }
      .sorted()
  }

  private static var folder: URL {
    Bundle.module.bundleURL.appending(component: "Fixtures", directoryHint: .isDirectory)
  }

  private static func parse(_ text: String) throws -> ([UInt8], [Field]) {
    var bytes: [UInt8] = []
    var fields: [Field] = []
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let start = bytes.count
      for digits in parts[0].split(separator: " ") {
        guard let byte = UInt8(digits, radix: 16) else { throw FixtureError(line: String(line)) }
        bytes.append(byte)
      }
      guard bytes.count > start else { continue }
      let comment = parts.count > 1 ? parts[1].split(separator: " ") : []
      if let name = comment.first, line.first != " " {
        // For example "ifi_family AF_UNSPEC, pad": the last byte is not part of the field.
        let end = comment.last == "pad" ? bytes.count - 1 : bytes.count
        fields.append(Field(name: String(name), range: start..<end))
      } else if let last = fields.indices.last {
        fields[last].range = fields[last].range.lowerBound..<bytes.count
      }
    }
    return (bytes, fields)
  }
}

/// A line without hexadecimal bytes.
struct FixtureError: Error {
  var line: String
}

extension Fixture {
  /// Returns the message as the answer to a request: with its sequence and port, and optionally other flags.
  func answering(_ request: Request, flags: MessageFlags? = nil) -> [UInt8] {
    var answer = bytes
    answer.replaceSubrange(8..<12, with: littleEndian(request.header.sequence))
    answer.replaceSubrange(12..<16, with: littleEndian(ScriptedKernel.ownPort))
    if let flags { answer.replaceSubrange(6..<8, with: littleEndian(flags.rawValue)) }
    return answer
  }

  /// The private data of a link's kind, inside `IFLA_LINKINFO`.
  var kindData: [UInt8]? {
    guard let field = fields.first(where: { $0.name == "IFLA_LINKINFO" }) else { return nil }
    var nested = bytes[field.range].dropFirst(4)
    while nested.count >= 4 {
      let header = Array(nested.prefix(4))
      let length = Int(header[0]) | Int(header[1]) << 8
      // IFLA_INFO_DATA
      if header[2] == 2 { return Array(nested.prefix(length).dropFirst(4)) }
      nested = nested.dropFirst((length + 3) & ~3)
    }
    return nil
  }

  /// The length field of the attribute, without padding.
  func statedLength(of field: Field) -> Int {
    Int(bytes[field.range.lowerBound]) | Int(bytes[field.range.lowerBound + 1]) << 8
  }
}

/// The little-endian bytes of a number, as in the recordings.
func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
  (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}
#endif
