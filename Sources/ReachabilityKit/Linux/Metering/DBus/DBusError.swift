#if os(Linux)
/// Why a conversation over D-Bus failed.
struct DBusError: Error, Hashable, Sendable {
  /// The kind of failure.
  struct Code: RawRepresentable, Hashable, Sendable {
    let rawValue: String

    /// There is no bus, or it hung up.
    static var disconnected: Code { Code(rawValue: "disconnected") }
    /// The bus does not let this user in.
    static var rejected: Code { Code(rawValue: "rejected") }
    /// What came breaks the rules of the protocol, or is longer than any answer to our questions.
    static var malformed: Code { Code(rawValue: "malformed") }
    /// The time is over.
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
