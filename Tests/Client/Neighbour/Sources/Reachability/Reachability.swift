// SPDX-License-Identifier: Apache-2.0
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
  /// The octets.
  var rawValue: [UInt8] { get }
}

/// An address of version 4.
public struct IPv4Address: IPAddress {
  /// The octets.
  public let rawValue: [UInt8]

  /// Creates an address from its octets.
  public init(_ rawValue: [UInt8]) { self.rawValue = rawValue }
}
