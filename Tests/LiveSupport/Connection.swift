#if os(Linux)
import CLiveSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a socket is connected to, and what it is bound to.
public struct SocketPlan: Hashable, Sendable {
  /// The octets of an IPv4 or IPv6 address.
  public var destination: [UInt8]
  /// The octets of the local address to bind to, if any, of the same family.
  public var source: [UInt8]?
  /// The index of the interface to bind to, or 0; it is the zone as well.
  public var interface: UInt32
  /// The firewall mark, or 0, as it is for every socket.
  public var mark: UInt32
  /// Whether the socket is one of TCP instead of UDP.
  public var isStream: Bool
  /// The port to connect to.
  public var port: UInt16

  /// Plans a socket; the port is that of `discard` if none is given.
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

/// What the kernel makes of a socket that is connected: its own last word on reachability.
public struct Connection: Hashable, Sendable {
  /// Why the kernel refused to bind or to connect, as its error number, or 0.
  public let errorNumber: Int32
  /// The octets of the local address that the kernel chose, if it did not refuse.
  public let source: [UInt8]

  /// Connects a socket, in the calling thread's network namespace; a UDP socket sends nothing.
  public init(_ plan: SocketPlan) {
    let length = Int32(plan.destination.count)
    let result = unsafe live_connect(
      plan.destination, plan.source, length, plan.interface, plan.mark,
      Int32(plan.isStream ? IPPROTO_TCP : IPPROTO_UDP), plan.port)
    errorNumber = result.error
    let octets = unsafe withUnsafeBytes(of: result.source) { unsafe Array($0) }
    source = result.error == 0 ? Array(octets.prefix(plan.destination.count)) : []
  }

  /// Connects a UDP socket, in the calling thread's network namespace.
  ///
  /// - Parameters:
  ///   - destination: The octets of an IPv4 or IPv6 address.
  ///   - source: Those of the local address to bind to, if any, of the same family.
  ///   - interface: The index of the interface to bind to, or 0; it is the zone as well.
  ///   - mark: The firewall mark, or 0, as it is for every socket.
  public init(to destination: [UInt8], from source: [UInt8]?, over interface: UInt32, mark: UInt32) {
    self.init(SocketPlan(to: destination, from: source, over: interface, mark: mark))
  }
}
#endif
