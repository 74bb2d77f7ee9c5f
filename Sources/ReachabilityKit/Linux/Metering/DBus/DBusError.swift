#if os(Linux)
/// A failure of a conversation over D-Bus.
struct DBusError: Error, Hashable, Sendable {
  /// The kind of failure.
  struct Code: RawRepresentable, Hashable, Sendable {
    let rawValue: String

    /// There is no bus, or it disconnected.
    static var disconnected: Code { Code(rawValue: "disconnected") }
    /// The bus rejected this user.
    static var rejected: Code { Code(rawValue: "rejected") }
    /// The input violates the protocol, or is longer than any expected answer.
    static var malformed: Code { Code(rawValue: "malformed") }
    /// The deadline passed.
    static var timedOut: Code { Code(rawValue: "timed out") }
    /// The answer is an error; the detail is its name.
    static var refused: Code { Code(rawValue: "refused") }
  }

  var code: Code
  var detail = ""

  init(_ code: Code, _ detail: String = "") {
    self.code = code
    self.detail = detail
  }
}
#endif
