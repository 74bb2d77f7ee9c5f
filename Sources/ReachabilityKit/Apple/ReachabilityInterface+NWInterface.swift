#if canImport(Darwin) || APPLE_DOOR
#if canImport(Darwin)
import Network
#else
import ReachabilityKit
#endif

extension ReachabilityInterface {
  /// The loopback interface, which has index 1 on all of Apple's systems.
  static var loopback: ReachabilityInterface { ReachabilityInterface(name: "lo0", index: 1, kind: .loopback) }

  init(_ interface: NWInterface) {
    let kind: Kind =
      switch interface.type {
      case .wiredEthernet: .wired
      case .wifi: .wifi
      case .cellular: .cellular
      case .loopback: .loopback
      default: .other
      }
    // The names of the tunnels that Apple's systems create.
    let isTunnel = ["utun", "ipsec", "ppp", "gif", "stf"].contains { interface.name.hasPrefix($0) }
    self.init(name: interface.name, index: interface.index, kind: kind, isTunnel: isTunnel)
  }
}
#endif
