// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLiveSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The destination of a socket, and what the socket is bound to.
public struct SocketPlan: Hashable, Sendable {
  /// The octets of an IPv4 or IPv6 address.
  public var destination: [UInt8]
  /// The octets of the local address to bind to, if any, of the same family.
  public var source: [UInt8]?
  /// The index of the interface to bind to, or 0; it is also the zone.
  public var interface: UInt32
  /// The firewall mark, or 0, the default.
  public var mark: UInt32
  /// Whether to use TCP instead of UDP.
  public var isStream: Bool
  /// The port to connect to.
  public var port: UInt16

  /// Plans a socket; the default port is `discard`.
  public init(
    to destination: [UInt8], port: UInt16 = 9, isStream: Bool = false, from source: [UInt8]? = nil,
    over interface: UInt32 = 0, mark: UInt32 = 0
  ) {
    self.destination = destination
    self.source = source
    self.interface = interface
    self.mark = mark
    self.isStream = isStream
    self.port = port
  }
}

/// The kernel's result for a connected socket, the reference for reachability.
public struct Connection: Hashable, Sendable {
  /// The error number of a refused bind or connect, or 0.
  public let errorNumber: Int32
  /// The octets of the local address that the kernel chose; empty after a refusal.
  public let source: [UInt8]

  /// Connects a socket in the calling thread's network namespace; a UDP socket sends nothing.
  public init(_ plan: SocketPlan) {
    let length = Int32(plan.destination.count)
    let result = unsafe live_connect(
      plan.destination, plan.source, length, plan.interface, plan.mark,
      Int32(plan.isStream ? IPPROTO_TCP : IPPROTO_UDP), plan.port)
    errorNumber = result.error
    let octets = unsafe withUnsafeBytes(of: result.source) { unsafe Array($0) }
    source = result.error == 0 ? Array(octets.prefix(plan.destination.count)) : []
  }

  /// Connects a UDP socket in the calling thread's network namespace.
  ///
  /// - Parameters:
  ///   - destination: The octets of an IPv4 or IPv6 address.
  ///   - source: The octets of the local address to bind to, if any, of the same family.
  ///   - interface: The index of the interface to bind to, or 0; it is also the zone.
  ///   - mark: The firewall mark, or 0, the default.
  public init(to destination: [UInt8], from source: [UInt8]?, over interface: UInt32, mark: UInt32) {
    self.init(SocketPlan(to: destination, from: source, over: interface, mark: mark))
  }
}
#endif
