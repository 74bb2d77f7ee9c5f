import ReachabilityKit

extension ReachabilityPath {
  /// Creates the path of a network in which every target has the same status.
  init(simulating status: ReachabilityStatus) {
    switch status.state {
    case .unknown:
      let reason = status.reason ?? .systemError
      self.init(.unknown, reason: reason, reasonAgainstIPv4: reason, reasonAgainstIPv6: reason)
    case .notReachable:
      self.init(simulating: status.reason ?? .noRoute, over: status.interface)
    case .reachable where status.interface?.kind == .loopback:
      self.init(simulating: .noRoute, over: nil)
    case .reachable:
      self.init(simulatingReachable: status)
    }
  }

  private init(simulating reason: ReachabilityStatus.Reason, over interface: ReachabilityInterface?) {
    self.init(
      reason == .linkDormant ? .requiresConnection : .unsatisfied, reason: reason,
      unusableInterfaces: interface.map { [UnusableInterface($0, reason: reason)] } ?? [],
      reasonAgainstIPv4: reason, reasonAgainstIPv6: reason)
  }

  private init(simulatingReachable status: ReachabilityStatus) {
    let interface = status.interface ?? ReachabilityInterface(name: "eth0", index: 1, kind: .wired)
    let isIPv6 = (status.source ?? status.gateway)?.bitWidth == 128
    let isExpensive: Bool? = interface.kind == .cellular ? true : nil
    let addresses = status.source.map { [Address($0, prefixLength: isIPv6 ? 64 : 24)] } ?? []
    self.init(
      .satisfied,
      interfaces: [
        Interface(
          interface, addresses: addresses, mtu: 1500, gateways: status.gateway.map { [$0] } ?? [],
          supportsIPv4: !isIPv6, supportsIPv6: isIPv6, isExpensive: isExpensive)
      ],
      reasonAgainstIPv4: isIPv6 ? .noRoute : nil, reasonAgainstIPv6: isIPv6 ? nil : .noRoute,
      // Without a gateway in the status, an address reserved for documentation (RFC 5737, RFC 3849).
      nameServers: [NameServer(status.gateway ?? (isIPv6 ? "2001:db8::53" : "192.0.2.53"))],
      isExpensive: isExpensive)
  }
}

extension PathEvaluation {
  /// Creates the evaluation of a simulated network, which has a loopback interface as every machine has.
  init(simulating path: ReachabilityPath) {
    let loopback = ReachabilityPath.Interface(
      ReachabilityInterface(name: "lo", index: 1, kind: .loopback),
      addresses: [.init("127.0.0.1", prefixLength: 8), .init("::1", prefixLength: 128)], mtu: 65536,
      supportsIPv6: true, isExpensive: false)
    self.init(path, unusable: path.unusableInterfaces, loopback: loopback)
  }
}
