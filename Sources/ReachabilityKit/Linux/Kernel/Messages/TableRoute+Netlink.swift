#if os(Linux)
import Netlink

extension TableRoute {
  /// Converts a route; returns `nil` if its prefix is invalid.
  init?(_ message: RouteMessage) {
    guard let prefix = message.prefix else { return nil }
    let effect: Effect
    switch message.kind {
    case .unicast, .local, .broadcast, .anycast, .multicast: effect = .send
    case .blackhole: effect = .refuse(.blackhole)
    case .unreachable: effect = .refuse(.unreachable)
    case .prohibit: effect = .refuse(.prohibit)
    case .throw: effect = .skipTable
    default: effect = .other
    }
    let hops = message.nextHops
    let isIPv6 = prefix.address.bitWidth == 128
    self.init(
      effect, prefix, table: message.table, typeOfService: message.typeOfService,
      metric: message.priority ?? 0, nextHopID: message.nextHopID,
      interfaces: message.outputInterface.map { [$0] } ?? hops.map(\.outputInterface))
    if message.sourceLength > 0 {
      source = message.source.flatMap { IPPrefix($0, length: Int(message.sourceLength)) }
      mayBeUnusable = true
    }
    // The kernel passes over dead next hops, expired routes, and IPv6 routers that do not answer.
    let dead: RouteFlags = [.dead, .linkDown]
    if !message.flags.isDisjoint(with: dead) || hops.contains(where: { !$0.flags.isDisjoint(with: dead) })
      || (message.cacheInfo?.expires ?? 0) != 0 || effect == .send && interfaces.isEmpty
      || isIPv6 && (message.gateway != nil || hops.contains { $0.gateway != nil })
    {
      mayBeUnusable = true
    }
  }
}
#endif
