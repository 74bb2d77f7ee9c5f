#if os(Linux)
import CLiveSupport

/// A tunnel device with a program behind it: this one.
public struct Tunnel: Sendable {
  let descriptor: Int32

  /// Ends it; the interface goes.
  public func close() {
    live_close(descriptor)
  }
}

extension NetworkNamespace {
  /// Makes a tunnel device in the namespace, or returns `nil` where there can be none.
  public func openTunnel(_ name: String) throws -> Tunnel? {
    let descriptor = try run { unsafe live_open_tunnel(name) }
    return descriptor < 0 ? nil : Tunnel(descriptor: descriptor)
  }
}
#endif
