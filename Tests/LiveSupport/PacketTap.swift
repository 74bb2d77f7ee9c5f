// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLiveSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Packets whose place of arrival is observed.
public enum ProbePackets {
  /// Sends packets from the calling thread's network namespace, each from a new socket.
  ///
  /// - Parameters:
  ///   - plan: The destination; for a stream, segments without a connection and ports are sent.
  ///   - number: The number that identifies these packets.
  ///   - isConnected: Whether to connect the sockets, which looks the route up once more.
  /// - Returns: The number of packets that the kernel accepted.
  public static func send(_ count: Int, _ plan: SocketPlan, number: UInt64, isConnected: Bool) -> Int {
    Int(
      unsafe live_send(
        plan.destination, plan.source, Int32(plan.destination.count), plan.interface, plan.mark,
        Int32(plan.isStream ? IPPROTO_TCP : IPPROTO_UDP), plan.port, Int32(count), isConnected ? 1 : 0, number
      ))
  }
}

/// A receiver of packets: at the far ends of cables, behind a tunnel device, or at a port of this machine.
public final class PacketTap: Sendable {
  /// A packet that arrived.
  public struct Arrival: Hashable, Sendable {
    /// The number of the sent packet.
    public var number: UInt64
    /// The hardware address of the sending link, or empty if there is none.
    public var sender: [UInt8]
    /// The hardware address of the receiving link, or empty if there is none.
    public var receiver: [UInt8]
  }

  private let descriptor: Int32
  private let isOwner: Bool

  /// Receives all frames that arrive in a network namespace.
  public init(framesIn network: NetworkNamespace) throws {
    descriptor = try network.run {
      let descriptor = live_open_tap()
      guard descriptor >= 0 else { throw LiveError("socket(AF_PACKET)", errorNumber: errno) }
      return descriptor
    }
    isOwner = true
  }

  /// Receives the datagrams that arrive at a port of any address of a network namespace.
  public init(port: UInt16, in network: NetworkNamespace) throws {
    descriptor = try network.run {
      let descriptor = live_open_inbox(port)
      guard descriptor >= 0 else { throw LiveError("bind", errorNumber: errno) }
      return descriptor
    }
    isOwner = true
  }

  /// Receives packets that are sent over a tunnel device, which must stay open.
  public init(behind tunnel: Tunnel) {
    descriptor = tunnel.descriptor
    isOwner = false
  }

  deinit {
    if isOwner { close(descriptor) }
  }

  /// Returns the next packet of ``ProbePackets`` and drops all others; `nil` if none arrives in time.
  public func next(within milliseconds: Int = 0) -> Arrival? {
    var arrival = live_arrival()
    guard unsafe live_next_arrival(descriptor, Int32(milliseconds), &arrival) == 1 else { return nil }
    let isFrame = arrival.is_frame == 1
    let sender = unsafe withUnsafeBytes(of: arrival.sender) { unsafe Array($0) }
    let receiver = unsafe withUnsafeBytes(of: arrival.receiver) { unsafe Array($0) }
    return Arrival(
      number: arrival.number, sender: isFrame ? sender : [], receiver: isFrame ? receiver : [])
  }
}
#endif
