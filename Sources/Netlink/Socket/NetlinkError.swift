#if os(Linux)
import POSIX

/// Why a conversation with the kernel failed.
package struct NetlinkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A system call failed; ``NetlinkError/errno`` tells why.
    package static var system: Code { Code(rawValue: "system call failed") }
    /// The kernel refused the request; ``NetlinkError/errno`` tells why.
    package static var refused: Code { Code(rawValue: "refused") }
    /// Messages were lost because the socket's buffer was full.
    package static var overrun: Code { Code(rawValue: "messages were lost") }
    /// The kernel did not answer within the socket's time limit.
    package static var timedOut: Code { Code(rawValue: "no answer") }
    /// The kernel's message could not be read.
    package static var malformed: Code { Code(rawValue: "malformed message") }
  }

  package var code: Code
  /// What was attempted, such as "list links".
  package var attempt: String
  package var errno: Errno?
  /// The kernel's own text (`NETLINK_EXT_ACK`), or what was wrong with its message.
  package var detail: String?

  package init(_ code: Code, attempt: String, errno: Errno? = nil, detail: String? = nil) {
    self.code = code
    self.attempt = attempt
    self.errno = errno
    self.detail = detail
  }

  /// Such as "could not list links: Operation not permitted".
  package var description: String {
    let cause = errno.map(\.description) ?? code.rawValue
    return "could not \(attempt): \(cause)" + (detail.map { " (\($0))" } ?? "")
  }
}
#endif
