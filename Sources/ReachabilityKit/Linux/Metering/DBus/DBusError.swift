#if os(Linux)
/// A failed exchange over D-Bus.
struct DBusError: Error, Hashable, Sendable {
  /// The kind of failure.
  enum Code: Sendable {
    /// There is no bus, or it closed the connection.
    case disconnected
    /// The bus rejects this user.
    case rejected
    /// A message violates the protocol, or is longer than any expected answer.
    case malformed
    /// The time limit passed.
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
