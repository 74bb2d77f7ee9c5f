#if canImport(Darwin) || APPLE_DOOR
#if canImport(Darwin)
import Network
#else
import ReachabilityKit
#endif

extension PathEvaluation {
  /// Makes an evaluation from the system's path, which has no interfaces but those that it uses.
  init(_ path: NWPath) {
    let read = ReachabilityPath(path)
    let loopback = ReachabilityPath.Interface(
      .loopback, addresses: [.init("127.0.0.1", prefixLength: 8), .init("::1", prefixLength: 128)],
      supportsIPv6: true, isExpensive: false)
    self.init(read, unusable: read.unusableInterfaces, loopback: loopback)
  }
}
#endif
