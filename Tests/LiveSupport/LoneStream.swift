// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLiveSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An established TCP connection without another end (`TCP_REPAIR`), whose segments show which path they take.
///
/// Neither its beginning nor its end sends anything.
public final class LoneStream: Sendable {
  private let descriptor: Int32
  /// The octets of the local address.
  public let source: [UInt8]
  /// The local port.
  public let sourcePort: UInt16

  /// Opens the connection in the calling thread's network namespace, as its user.
  ///
  /// - Parameter sourcePort: The local port; 0 for any free one.
  /// - Throws: ``LiveError`` if no route or no local address permits it.
  public init(_ plan: SocketPlan, sourcePort wanted: UInt16 = 0) throws {
    descriptor = unsafe live_open_stream(
      plan.destination, plan.source, Int32(plan.destination.count), plan.interface, wanted, plan.port)
    guard descriptor >= 0 else { throw LiveError("open a connection", errorNumber: errno) }
    var octets = [UInt8](repeating: 0, count: 16)
    var port: UInt16 = 0
    _ = unsafe live_stream_source(descriptor, &octets, &port)
    (source, sourcePort) = (Array(octets.prefix(plan.destination.count)), port)
  }

  /// Sends a segment with a number that ``PacketTap`` recognizes.
  public func send(_ number: UInt64) { _ = live_send_over_stream(descriptor, number) }

  deinit { live_close_stream(descriptor) }
}
#endif
