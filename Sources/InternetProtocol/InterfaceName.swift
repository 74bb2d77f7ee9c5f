/// The name of a network interface, which to the kernel is bytes: two names are equal if their bytes are.
///
/// Equal texts are not enough: Swift compares them by what they look like, and bytes that are no UTF-8 look all alike.
package struct InterfaceName: Hashable, Sendable {
  /// The name for people; what is not UTF-8 in it is replaced.
  package let text: String
  /// The bytes, where they are no UTF-8, so that the text is not the name.
  private let bytes: [UInt8]?

  /// The name whose bytes are a text's UTF-8.
  package init(_ text: String) {
    self.text = text
    bytes = nil
  }

  /// The name with these bytes.
  package init(bytes: some Collection<UInt8>) {
    text = String(decoding: bytes, as: UTF8.self)
    self.bytes = text.utf8.elementsEqual(bytes) ? nil : Array(bytes)
  }

  /// Whether the name is a text's UTF-8, so that a program can say it.
  package var isText: Bool { bytes == nil }

  /// The bytes, without a zero at their end.
  package var octets: [UInt8] { bytes ?? Array(text.utf8) }

  package static func == (one: InterfaceName, other: InterfaceName) -> Bool {
    one.text.utf8.elementsEqual(other.text.utf8) && one.bytes == other.bytes
  }

  package func hash(into hasher: inout Hasher) {
    // Equal bytes are equal texts.
    hasher.combine(text)
  }
}

extension InterfaceName: ExpressibleByStringLiteral, CustomStringConvertible {
  package init(stringLiteral text: String) { self.init(text) }

  package var description: String { text }
}
