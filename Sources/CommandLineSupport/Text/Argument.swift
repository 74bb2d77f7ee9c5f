/// A word of a command line: bytes, since the names of files and interfaces need not be UTF-8.
package struct Argument: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  package init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The text, with invalid UTF-8 replaced.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether the bytes are UTF-8, so that text can express them.
  package var isText: Bool { text.utf8.elementsEqual(bytes) }
}
