/// A decoder, with what must hold of what it makes of its input, whatever that is.
struct Check: Sendable {
  /// What the input looks like, so that it can be changed without making nonsense of it.
  enum Shape: String {
    /// Netlink messages one after the other.
    case messages
    /// A message from a bus.
    case dbus
    /// Text, in which zeros may stand between parts.
    case text
  }

  let name: String
  let shape: Shape
  let run: @Sendable ([UInt8]) throws(Finding) -> Void

  init(_ name: String, _ shape: Shape = .text, _ run: @escaping @Sendable ([UInt8]) throws(Finding) -> Void) {
    self.name = name
    self.shape = shape
    self.run = run
  }

  /// A check of text; what is not UTF-8 is replaced, as all do who get text from C.
  init(text name: String, _ run: @escaping @Sendable (String) throws(Finding) -> Void) {
    self.init(name) { bytes throws(Finding) in try run(String(decoding: bytes, as: UTF8.self)) }
  }

  static let all =
    messages + conversations + tables + buses + addresses + targets + secrets + files + sockets + command
    + verification + answers
}

/// Something that does not hold.
struct Finding: Error {
  var claim: String
}

/// Ends a check with a finding unless something holds.
func expect(_ holds: Bool, _ claim: @autoclosure () -> String) throws(Finding) {
  guard holds else { throw Finding(claim: claim()) }
}

extension Sequence<UInt8> {
  /// The texts between zeros.
  var texts: [String] {
    split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
  }
}
