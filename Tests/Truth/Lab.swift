// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import LiveSupport

/// A machine and the world around it, for one competitor.
final class Lab {
  let machine: NetworkNamespace
  let world: NetworkNamespace
  /// A router between both, for the scenarios that have one.
  let router: NetworkNamespace

  init() throws {
    machine = try NetworkNamespace()
    world = try NetworkNamespace()
    router = try NetworkNamespace()
    for step in Self.preparation { try step.perform(in: self) }
    // The far end answers at once, and keeps its addresses.
    try world.writeLinkSysctl("net/ipv6/conf/*/accept_dad", "0")
    try world.writeLinkSysctl("net/ipv6/conf/*/keep_addr_on_down", "1")
    try machine.writeLinkSysctl("net/ipv6/conf/*/router_solicitation_delay", "0")
  }

  /// Commands that precede every scenario.
  static let preparation: [Step] = [
    "world link set lo up", "world address add 198.51.100.77/32 dev lo",
    "world address add 192.0.2.1/32 dev lo",
    "world address add 2001:db8:77::1/128 dev lo nodad", "world address add 2001:db8::1/128 dev lo nodad",
  ]

  /// Addresses that only default routes lead to, one of each family: the network is usable if packets to one of them
  /// arrive.
  static let general: [ReachabilityAddress] = ["198.51.100.77", "2001:db8:77::1"]

  func perform(_ steps: [Step], _ watcher: Watcher? = nil) throws {
    for step in steps { try step.perform(in: self, watcher) }
  }

  func close() {
    machine.close()
    world.close()
    router.close()
  }
}
