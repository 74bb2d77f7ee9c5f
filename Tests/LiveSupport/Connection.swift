#if os(Linux)
import CLiveSupport

/// What the kernel makes of a socket that is connected, though nothing is sent: its own last word on reachability.
public struct Connection: Hashable, Sendable {
  /// Why the kernel refused to bind or to connect, as its error number, or 0.
  public let errorNumber: Int32
  /// The octets of the local address that the kernel chose, if it did not refuse.
  public let source: [UInt8]

  /// Connects a UDP socket, in the calling thread's network namespace.
  ///
  /// - Parameters:
  ///   - destination: The octets of an IPv4 or IPv6 address.
  ///   - source: Those of the local address to bind to, if any, of the same family.
  ///   - interface: The index of the interface to bind to, or 0; it is the zone as well.
  ///   - mark: The firewall mark, or 0, as it is for every socket.
  public init(to destination: [UInt8], from source: [UInt8]?, over interface: UInt32, mark: UInt32) {
    let length = Int32(destination.count)
    let result = unsafe live_connect(destination, source, length, interface, mark)
    errorNumber = result.error
    let octets = unsafe withUnsafeBytes(of: result.source) { unsafe Array($0) }
    self.source = result.error == 0 ? Array(octets.prefix(destination.count)) : []
  }
}
#endif
