/// The name of a network interface, which to the kernel is a sequence of bytes.
///
/// Names are equal if their bytes are. Comparing text is not enough: Swift treats canonically equivalent strings as
/// equal, and replaces all invalid UTF-8 by the same character.
package struct InterfaceName: Hashable, Sendable {
  /// The name for display, with invalid UTF-8 replaced.
  package let text: String
  /// The bytes if they are not valid UTF-8, otherwise `nil`.
  private let bytes: [UInt8]?

  /// Creates a name from the UTF-8 of a text.
  package init(_ text: String) {
    self.text = text
    bytes = nil
  }

  /// Creates a name from bytes.
  package init(bytes: some Collection<UInt8>) {
    text = String(decoding: bytes, as: UTF8.self)
    self.bytes = text.utf8.elementsEqual(bytes) ? nil : Array(bytes)
  }

  /// Whether the name is valid UTF-8, so that text can express it.
  package var isText: Bool { bytes == nil }

  /// The bytes, without a terminating zero.
  package var octets: [UInt8] { bytes ?? Array(text.utf8) }

  package static func == (one: InterfaceName, other: InterfaceName) -> Bool {
    one.text.utf8.elementsEqual(other.text.utf8) && one.bytes == other.bytes
  }

  package func hash(into hasher: inout Hasher) {
    // Equal names have equal text.
    hasher.combine(text)
  }
}

extension InterfaceName: ExpressibleByStringLiteral, CustomStringConvertible {
  package init(stringLiteral text: String) { self.init(text) }

  package var description: String { text }
}
