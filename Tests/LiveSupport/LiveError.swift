#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why a live test could not set up what it needs.
public struct LiveError: Error, CustomStringConvertible {
  /// What was attempted, such as `ip link add v0 type dummy`.
  public let attempted: String
  /// Why it failed, such as the text that `ip` wrote to standard error.
  public let reason: String

  init(_ attempted: String, _ reason: String) {
    self.attempted = attempted
    self.reason = String(reason.reversed().drop(while: \.isWhitespace).reversed())
  }

  init(_ attempted: String, errorNumber: Int32) {
    let text = unsafe strerror(errorNumber).map { unsafe String(cString: $0) }
    self.init(attempted, text ?? "error \(errorNumber)")
  }

  static func check(_ errorNumber: Int32, _ attempted: String) throws {
    guard errorNumber == 0 else { throw LiveError(attempted, errorNumber: errorNumber) }
  }

  /// What was attempted and why it failed, in one text.
  public var description: String { "\(attempted): \(reason)" }
}
#endif
