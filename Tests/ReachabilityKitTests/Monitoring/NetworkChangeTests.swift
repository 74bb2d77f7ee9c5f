// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct NetworkChangeTests {
  private static let prefix = IPPrefix(literal: "10.9.0.0/16")

  @Test func `a union contains all of either change`() {
    let parts = [
      NetworkChange(prefixes: [Self.prefix]), NetworkChange(imminent: [Self.prefix]),
      NetworkChange(missed: [Self.prefix]), NetworkChange(names: true), NetworkChange(linkDetails: true),
      NetworkChange(nextHops: true), NetworkChange(routerReturned: true),
    ]
    #expect(parts.allSatisfy { !$0.isEmpty })
    // Ranges are in the order of their announcements.
    for (parts, effects) in [(parts, [.imminent, .missed]), (parts.reversed(), [.missed, .imminent])]
      as [(_, [NetworkChange.Effect])]
    {
      var all = NetworkChange(
        prefixes: [Self.prefix], names: true, linkDetails: true, nextHops: true, routerReturned: true)
      for effect in effects { all.insert(Self.prefix, as: effect) }
      var union = NetworkChange()
      for part in parts { union.formUnion(part) }
      #expect(union == all)
    }
  }

  @Test func `a change of everything absorbs single prefixes`() {
    var change = NetworkChange(prefixes: [Self.prefix])
    change.formUnion(.all)
    change.formUnion(NetworkChange(prefixes: [Self.prefix]))
    #expect(change == .all && !change.isQuiet)
  }

  @Test(arguments: [("0.0.0.0/0", true), ("::/0", true), ("2000::/3", true), ("2000::/4", false)])
  func `routes as wide as a default route are a change of the network`(text: String, isOfNetwork: Bool) {
    let prefix = IPPrefix(literal: text)
    #expect(NetworkChange(prefixes: [prefix]).effectOnNames.contains(.network) == isOfNetwork)
    #expect(NetworkChange(imminent: [prefix]).effectOnNames.contains(.network) == isOfNetwork)
  }

  @Test func `a router that returned changes no settings`() {
    #expect(NetworkChange(routerReturned: true).effectOnNames == .routerReturned)
    #expect(!NetworkChange(routerReturned: true).effectOnNames.contains(.settings))
  }

  @Test func `a change of next hops and of anything else is not of next hops alone`() {
    #expect(NetworkChange(nextHops: true).isOfNextHopsAlone)
    #expect(NetworkChange(nextHops: true, routerReturned: true).isOfNextHopsAlone)
    let others = [
      .all, NetworkChange(prefixes: [Self.prefix]), NetworkChange(imminent: [Self.prefix]),
      NetworkChange(missed: [Self.prefix]), NetworkChange(names: true), NetworkChange(linkDetails: true),
    ]
    for other in others {
      var change = NetworkChange(nextHops: true)
      change.formUnion(other)
      #expect(!change.isOfNextHopsAlone, "\(other)")
      #expect(!other.isOfNextHopsAlone, "\(other)")
    }
  }
}
