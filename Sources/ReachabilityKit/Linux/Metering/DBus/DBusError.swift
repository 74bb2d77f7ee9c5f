#if os(Linux)
/// A failure of a conversation over D-Bus.
struct DBusError: Error, Hashable, Sendable {
  /// The kind of failure.
  enum Code: Sendable {
    /// There is no bus, or it disconnected.
    case disconnected
    /// The bus rejected this user.
    case rejected
    /// The input violates the protocol, or is longer than any expected answer.
    case malformed
    /// The deadline passed.
    case timedOut
    /// The answer is an error; the detail is its name.
    case refused
  }

  var code: Code
  var detail = ""

  init(_ code: Code, _ detail: String = "") {
    self.code = code
    self.detail = detail
  }
}
#endif
