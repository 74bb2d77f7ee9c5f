public import ReachabilityKit

extension ReachabilityStatus {
  /// Returns a reachable status as a real interface of this kind would have.
  public static func reachable(over kind: ReachabilityInterface.Kind) -> ReachabilityStatus {
    var flags: Flags = .reachable
    if kind == .cellular { flags.formUnion([.transientConnection, .isWWAN]) }
    if kind == .loopback { flags.formUnion([.isLocalAddress, .isDirect]) }
    return ReachabilityStatus(.reachable, flags: flags, interface: ReachabilityInterface(simulating: kind))
  }

  /// Returns the status of a link that waits for its connection, such as a modem that has to dial.
  ///
  /// Its reason is `linkDormant`, its flags require a connection.
  public static func requiresConnection(over kind: ReachabilityInterface.Kind) -> ReachabilityStatus {
    .notReachable(.linkDormant, over: ReachabilityInterface(simulating: kind))
  }
}

extension ReachabilityInterface {
  /// Creates an interface with the name that a real one of this kind often has.
  fileprivate init(simulating kind: Kind) {
    let names: [Kind: String] = [
      .wired: "eth0", .wifi: "wlan0", .cellular: "wwan0", .bluetooth: "bnep0", .loopback: "lo",
    ]
    let index = (Kind.allCases.firstIndex(of: kind) ?? 0) + 1
    self.init(name: names[kind] ?? "net0", index: index, kind: kind)
  }
}
