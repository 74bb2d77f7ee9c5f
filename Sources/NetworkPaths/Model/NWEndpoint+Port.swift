extension NWEndpoint {
  /// A port of TCP or UDP.
  public struct Port: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt16

    /// Creates a port from a number; optional because Apple's initializer is.
    public init?(rawValue: UInt16) {
      self.init(integerLiteral: rawValue)
    }

    /// Any port, 0.
    public static let any: Port = 0
  }
}

extension NWEndpoint.Port: ExpressibleByIntegerLiteral {
  /// Creates a port from a number.
  public init(integerLiteral number: UInt16) { rawValue = number }
}

extension NWEndpoint.Port: CustomDebugStringConvertible {
  /// The number.
  public var debugDescription: String { "\(rawValue)" }
}
