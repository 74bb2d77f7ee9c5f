/// A class with the name of its module.
public final class Reachability {
  /// How the device is connected.
  public enum Connection: Sendable { case unavailable, wifi, cellular }

  /// The connection now.
  public let connection = Connection.wifi

  /// Creates a reachability.
  public init() {}
}

/// The name that Apple's module Network declares too.
public protocol IPAddress: Sendable {
  var rawValue: [UInt8] { get }
}

public struct IPv4Address: IPAddress {
  public let rawValue: [UInt8]

  public init(_ rawValue: [UInt8]) { self.rawValue = rawValue }
}
