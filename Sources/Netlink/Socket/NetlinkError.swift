#if os(Linux)
import POSIX

/// A failed conversation with the kernel.
package struct NetlinkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: String, Sendable {
    /// A system call failed; ``NetlinkError/errno`` has its error.
    case system = "system call failed"
    /// The kernel refused the request; ``NetlinkError/errno`` has its error.
    case refused
    /// Messages were lost because the socket's buffer was full.
    case overrun = "messages were lost"
    /// The kernel did not answer within the socket's time limit.
    case timedOut = "no answer"
    /// The kernel's message could not be decoded.
    case malformed = "malformed message"
  }

  package var code: Code
  /// The attempted operation, for example "list links".
  package var attempt: String
  package var errno: Errno?
  /// The kernel's text (`NETLINK_EXT_ACK`), or the violation in its message.
  package var detail: String?

  package init(_ code: Code, attempt: String, errno: Errno? = nil, detail: String? = nil) {
    self.code = code
    self.attempt = attempt
    self.errno = errno
    self.detail = detail
  }

  /// The attempt and its cause, for example "could not list links: Operation not permitted".
  package var description: String {
    let cause = errno.map(\.description) ?? code.rawValue
    return "could not \(attempt): \(cause)" + (detail.map { " (\($0))" } ?? "")
  }
}
#endif
