#if os(Linux)
extension SocketFilter {
  /// A filter that drops packets which arrived by the loopback interface: those that this machine sent to itself.
  package static var withoutLoopback: SocketFilter {
    // ARPHRD_LOOPBACK.
    SocketFilter(instructions: [.loadHardwareType, .ifEqual(to: 772, skip: 0, else: 1), .drop, .pass])
  }
}
#endif
