// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import NetlinkSupport
import TestSupport
import Testing
@testable import Netlink
@testable import ReachabilityKit

/// The recovery of a tracker from lost messages and failed readings.
@Suite(.deadline) struct NetworkTrackerRecoveryTests {
  /// A watching tracker of ``ScriptedNetwork/withOneLink()`` that missed the addition of `eth1`.
  private func outdated(_ network: ScriptedNetwork) throws -> NetworkTracker {
    let tracker = try network.watchingTracker()
    network.changeSilently(.link(.ethernet(3, "eth1")))
    return tracker
  }

  private static let renewed = NetworkState(
    [.ethernet(2, "eth0"), .ethernet(3, "eth1")], [2: [.ipv4("10.1.0.1", 24)]])

  @Test func `lost messages cause a new reading, and may change everything`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try outdated(network)
    network.announce(.overrun)
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState == Self.renewed)
    #expect(tracker.diagnostics == .init(overruns: 1, tableReads: 2))
    #expect(network.listings == 2)
    #expect(tracker.readChange() == NetworkChange())
  }

  // The kernel reports the loss before it delivers what it queued earlier, and drops more until the queue is empty.
  @Test func `announcements from before a loss do not change the new tables`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    let removed = AddressMessage.ipv4("10.1.0.2", 24, on: 2)
    network.announce(.overrun, .event(.address(removed)))
    #expect(tracker.readChange(readingAtLeast: 1) == .all)
    #expect(tracker.readChange() == NetworkChange())
    #expect(tracker.networkState == .ofOneLink)
    #expect(tracker.diagnostics == .init(overruns: 1, tableReads: 2))
  }

  @Test func `a new reading drops what was removed without an announcement`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.tracker()
    network.changeSilently(.linkRemoved(.ethernet(2, "eth0")), .link(.ethernet(5, "eth0")))
    network.announce(.overrun)
    let state = tracker.readState()
    #expect(state == NetworkState([.ethernet(5, "eth0")]))
    #expect(state.index(of: .name("eth0")) == 5)
  }

  @Test func `an unreadable message counts as lost`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try outdated(network)
    network.announce(.bytes([1, 2, 3], port: 0))
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState == Self.renewed)
    #expect(tracker.diagnostics == .init(unreadableMessages: 1, tableReads: 2))
    #expect(network.listings == 2)
  }

  @Test func `messages from other senders than the kernel are ignored and counted`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try outdated(network)
    let forged = RouteEvent.linkRemoved(.ethernet(2, "eth0")).message
    network.announce(.bytes(forged, port: 4711), .bytes([1, 2, 3], port: 4711))
    #expect(tracker.readChange() == NetworkChange())
    #expect(tracker.networkState == .ofOneLink)
    #expect(network.listings == 1)
    #expect(tracker.diagnostics == .init(foreignMessages: 2, tableReads: 1))
  }

  @Test func `messages lost during a reading cause another one`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try outdated(network)
    network.announce(.overrun)
    network.arrange(.none, .meanwhile([.overrun]))
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState == Self.renewed)
    #expect(tracker.diagnostics == .init(overruns: 2, tableReads: 3))
    #expect(network.listings == 3)
  }

  @Test func `after three lossy readings the next call reads again`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try outdated(network)
    network.announce(.overrun)
    let lossy = ScriptedNetwork.Trouble.meanwhile([.overrun])
    network.arrange(.none, lossy, .none, lossy, .none, lossy)
    #expect(tracker.readChange() == .all)
    #expect(network.listings == 1 + 3)
    #expect(tracker.readChange() == .all)
    #expect(network.listings == 1 + 4)
    #expect(tracker.networkState == Self.renewed)
    #expect(tracker.readChange() == NetworkChange())
    #expect(network.listings == 1 + 4)
  }

  @Test func `changes during a new reading are not missed`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try outdated(network)
    network.announce(.overrun)
    network.arrange(.meanwhile([.event(.link(.ethernet(3, "eth1", isUp: false)))]))
    #expect(tracker.readChange() == .all)
    let expected = NetworkState(
      [.ethernet(2, "eth0"), .ethernet(3, "eth1", .noCarrier)], [2: [.ipv4("10.1.0.1", 24)]])
    #expect(tracker.networkState == expected)
    #expect(network.listings == 2)
  }

  @Test func `an interrupted list is requested again`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try outdated(network)
    network.announce(.overrun)
    network.arrange(.interruption, .none, .interruption, .interruption)
    let before = network.steps.count
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState == Self.renewed)
    let asked = Array(network.steps.dropFirst(before))
    #expect(
      asked == [
        .asked(.getLink), .asked(.getLink), .asked(.getAddress), .asked(.getAddress),
        .asked(.getAddress), .asked(.getRule), .asked(.getRule),
      ])
  }

  @Test(
    arguments: [
      [.refusal(.accessDenied)], [.none, .refusal(.accessDenied)], [.silence], [.none, .silence],
    ] as [[ScriptedNetwork.Trouble]])
  func `an unreadable table keeps the old state until the next call`(
    _ troubles: [ScriptedNetwork.Trouble]
  ) throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try outdated(network)
    network.announce(.overrun)
    for trouble in troubles { network.arrange(trouble) }
    #expect(tracker.readChange() == .all)
    // The failure keeps eth0; a successful reading would add eth1.
    #expect(tracker.networkState == .ofOneLink)
    let listings = network.listings
    for trouble in troubles { network.arrange(trouble) }
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState == .ofOneLink)
    #expect(network.listings > listings)
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState == Self.renewed)
    #expect(tracker.readChange() == NetworkChange())
  }

  @Test func `a failed socket is tried again, and the tables are read`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try outdated(network)
    network.announce(.event(.link(.ethernet(2, "lan0"))), .failure(.noDevice))
    network.changeSilently(.link(.ethernet(2, "lan0")))
    #expect(tracker.readChange() == .all)
    #expect(network.listings == 1)
    #expect(tracker.readChange() == .all)
    #expect(network.listings == 2)
    let expected = NetworkState(
      [.ethernet(2, "lan0"), .ethernet(3, "eth1")], [2: [.ipv4("10.1.0.1", 24)]])
    #expect(tracker.networkState == expected)
    #expect(tracker.readChange() == NetworkChange())
  }

  @Test func `refresh reads the tables`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try outdated(network)
    #expect(tracker.readState() == .ofOneLink)
    tracker.refresh()
    #expect(tracker.networkState == Self.renewed)
    #expect(tracker.hasPendingChange == true)
    #expect(tracker.readChange() == .all)
  }

  @Test(arguments: 0..<20)
  func `tables kept up to date equal tables read anew`(_ seed: UInt64) throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.tracker()
    var randomness = SeededGenerator(seed: seed)
    for step in 0..<60 {
      for _ in 0..<Int.random(in: 1...4, using: &randomness) {
        network.change(randomness.event())
      }
      // The kernel reports the loss of some.
      if randomness.chance(10) {
        network.changeSilently(randomness.event())
        network.announce(.overrun)
      }
      let kept = tracker.readState()
      // All announcements are read, so the second tracker knows only the tables.
      var second = try network.tracker()
      #expect(Tables(kept) == Tables(second.readState()), "step \(step)")
    }
  }
}

/// Tables with unordered addresses.
private struct Tables: Equatable {
  var links: [Int32: LinkState]
  var addresses: [Int32: Set<AddressMessage>]
  var indexes: [String: Int32?]

  init(_ state: NetworkState) {
    links = state.links
    addresses = state.addresses.mapValues { Set($0) }
    indexes = [:]
    for name in SeededGenerator.names { indexes[name] = state.index(of: .name(name)) }
  }
}

extension SeededGenerator {
  fileprivate static let names = ["eth0", "eth1", "eth2", "eth3"]

  /// A change to one of four links, or to one of a few addresses.
  fileprivate mutating func event() -> RouteEvent {
    let index = Int32.random(in: 2...5, using: &self)
    let isUp = Bool.random(using: &self)
    // As in the kernel, no two links share a name.
    let link = LinkMessage.ethernet(index, Self.names[Int(index) - 2], isUp: isUp)
    let address: AddressMessage =
      isUp
      ? .ipv4(.v4(.init(rawValue: 10 << 24 | UInt32(index))), 24, on: index)
      : .ipv6("fd00::1", 64, on: index, Bool.random(using: &self) ? .tentative : [])
    switch Int.random(in: 0..<7, using: &self) {
    case 0...2: return .link(link)
    case 3: return .linkRemoved(link)
    case 4...5: return .address(address)
    default: return .addressRemoved(address)
    }
  }
}
#endif
