/// An error of a monitor.
public struct ReachabilityMonitorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The name of the code.
    public let rawValue: String

    /// Creates a code from its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The operating system cannot be queried: a sandbox forbids it, or no descriptors are left.
    public static var systemUnavailable: Code { Code(rawValue: "systemUnavailable") }
    /// The caller's time limit has passed.
    public static var timedOut: Code { Code(rawValue: "timedOut") }
    /// The network namespace does not exist, or the file is not a network namespace.
    public static var namespaceNotFound: Code { Code(rawValue: "namespaceNotFound") }
    /// The process lacks a required privilege.
    public static var notPermitted: Code { Code(rawValue: "notPermitted") }
    /// The target cannot be connected to: it is not an address, or the network is simulated.
    public static var notConnectable: Code { Code(rawValue: "notConnectable") }
  }

  /// The kind of the error.
  public let code: Code
  /// The system's error number, if there is one.
  public let errorNumber: Int32?
  /// One sentence that says what failed and why.
  public let description: String

  /// Creates an error.
  public init(_ code: Code, errorNumber: Int32? = nil, description: String) {
    self.code = code
    self.errorNumber = errorNumber
    self.description = description
  }
}
