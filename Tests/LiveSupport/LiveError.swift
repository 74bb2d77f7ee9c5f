// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why a live test could not set up its environment.
public struct LiveError: Error, CustomStringConvertible {
  /// The attempted action, for example `ip link add v0 type dummy`.
  public let attempted: String
  /// The reason of the failure, for example the standard error of `ip`.
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

  /// The attempted action and the reason.
  public var description: String { "\(attempted): \(reason)" }
}
#endif
