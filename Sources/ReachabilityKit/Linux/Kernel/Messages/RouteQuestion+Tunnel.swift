#if os(Linux)
import Netlink

extension RouteQuestion {
  /// Creates the query for the packets that a tunnel makes; `nil` for links that are no tunnels, and for tunnels
  /// without one fixed remote.
  init?(tunnel message: LinkMessage) {
    guard let header = message.tunnelHeader else { return nil }
    self.init(
      header.remote, source: header.local, interface: header.lower, mark: header.mark,
      transport: header.port == nil ? nil : .udp, port: header.port)
    isOfTunnel = true
  }
}
#endif
