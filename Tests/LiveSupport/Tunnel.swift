// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLiveSupport

/// A tunnel device whose packets this process receives.
public struct Tunnel: Sendable {
  /// The file that yields the packets sent to the device, and takes those that arrive from it.
  public let descriptor: Int32

  /// Closes the device; its interface disappears.
  public func close() {
    live_close(descriptor)
  }
}

extension NetworkNamespace {
  /// Creates a tunnel device in the namespace, or returns `nil` where the kernel has none.
  public func openTunnel(_ name: String) throws -> Tunnel? {
    let descriptor = try run { unsafe live_open_tunnel(name) }
    return descriptor < 0 ? nil : Tunnel(descriptor: descriptor)
  }
}
#endif
