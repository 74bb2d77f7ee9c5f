/// Why a monitor can't do its work.
public struct ReachabilityMonitorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of trouble.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// A word for the kind of trouble.
    public let rawValue: String

    /// Makes a code from its word.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The operating system can't be asked: a sandbox forbids it, or there are no descriptors left.
    public static var systemUnavailable: Code { Code(rawValue: "systemUnavailable") }
    /// The time that the caller allowed has passed.
    public static var timedOut: Code { Code(rawValue: "timedOut") }
    /// There is no such network namespace, or what is there is none.
    public static var namespaceNotFound: Code { Code(rawValue: "namespaceNotFound") }
    /// The process lacks the rights for what was attempted.
    public static var notPermitted: Code { Code(rawValue: "notPermitted") }
    /// Nobody can be connected to there: it is no address, or the network is a simulated one.
    public static var notConnectable: Code { Code(rawValue: "notConnectable") }
  }

  /// The kind of trouble.
  public let code: Code
  /// The system's error number, where there is one.
  public let errorNumber: Int32?
  /// One sentence of what was attempted and what went wrong.
  public let description: String

  /// Makes an error.
  public init(_ code: Code, errorNumber: Int32? = nil, description: String) {
    self.code = code
    self.errorNumber = errorNumber
    self.description = description
  }
}
