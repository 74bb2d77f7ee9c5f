public import Foundation

extension ReachabilityVerification {
  /// The reason why no answer arrived.
  public struct Failure: Hashable, Sendable {
    /// The source and code of the error.
    public enum Code: Hashable, Sendable {
      /// An error of `URLSession`, or the counterpart there of an error of libcurl.
      case url(URLError.Code)
      /// An error number of the system, for example `ECONNREFUSED`.
      case system(errorNumber: Int32)
      /// The host's name has no address to try.
      case name
      /// Any other error.
      case other
    }

    /// The source and code of the error.
    public var code: Code
    /// The system's text for the error.
    public var text: String

    /// Creates a failure.
    public init(_ code: Code, text: String) {
      self.code = code
      self.text = text
    }
  }
}
