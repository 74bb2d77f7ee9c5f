// SPDX-License-Identifier: Apache-2.0
/// A decoder, with the properties of its results for any input.
struct Check: Sendable {
  /// The structure of the input, which mutations preserve.
  enum Shape: String {
    /// A sequence of netlink messages.
    case messages
    /// A message from a bus.
    case dbus
    /// Text with optional zeros between parts.
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

  /// A check of text; invalid UTF-8 is replaced, as for any text from C.
  init(text name: String, _ run: @escaping @Sendable (String) throws(Finding) -> Void) {
    self.init(name) { bytes throws(Finding) in try run(String(decoding: bytes, as: UTF8.self)) }
  }

  static let all: [Check] =
    messages + conversations + tables + buses + addresses + targets + secrets + files + sockets + command
    + verification + answers + records
}

/// A violated property.
struct Finding: Error {
  var claim: String
}

/// Throws a finding unless a condition holds.
func expect(_ holds: Bool, _ claim: @autoclosure () -> String) throws(Finding) {
  guard holds else { throw Finding(claim: claim()) }
}

extension Sequence<UInt8> {
  /// The texts between zeros.
  var texts: [String] {
    split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
  }
}
