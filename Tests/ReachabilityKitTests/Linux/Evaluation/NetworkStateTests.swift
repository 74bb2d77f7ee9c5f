// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct NetworkStateTests {
  private static func link(_ index: Int, _ name: String, _ condition: LinkState.Condition = .up) -> LinkState
  {
    LinkState(ReachabilityInterface(name: name, index: index, kind: .wired), condition: condition)
  }

  @Test func `a link is found by its name and by its index`() {
    var state = NetworkState()
    #expect(state.index(of: .name("eth0")) == nil)
    let isNew = state.update(Self.link(2, "eth0"))
    #expect(isNew)
    #expect(state.index(of: .name("eth0")) == 2)
    #expect(state.index(of: .index(2)) == 2)
    #expect(state.index(of: .name("2")) == nil)
    #expect(state.index(of: .index(3)) == nil)
  }

  @Test func `an address is displaced if only other interfaces than the path's have it`() {
    func isDisplaced(_ holders: [(Int, ReachabilityInterface.Kind, String?)]) -> Bool? {
      var state = NetworkState()
      _ = state.update(Self.link(2, "eth0"))
      for (index, kind, type) in holders {
        _ = state.update(
          LinkState(
            ReachabilityInterface(name: "link\(index)", index: index, kind: kind, linkType: type),
            condition: .up))
        _ = state.update(AddressMessage("10.1.0.1/24", on: Int32(index)))
      }
      return state.isDisplaced("10.1.0.1", from: 2)
    }
    #expect(isDisplaced([]) == nil)
    #expect(isDisplaced([(3, .wired, nil)]) == true)
    #expect(isDisplaced([(3, .wired, nil), (2, .wired, nil)]) == false)
    // What belongs to the machine belongs to each of its interfaces.
    #expect(isDisplaced([(1, .loopback, nil)]) == false)
    #expect(isDisplaced([(4, .other, "dummy")]) == false)
    #expect(isDisplaced([(4, .other, "vrf")]) == false)
    #expect(isDisplaced([(4, .wired, "bridge")]) == true)
  }

  @Test func `a rule for a protocol or for ports matches transports`() {
    func matchesTransports(_ rules: Rule...) -> Bool {
      var state = NetworkState()
      state.update(rules)
      return state.matchesTransports
    }
    #expect(!matchesTransports(Rule(1), Rule(2, source: IPPrefix("10.0.0.0", length: 8), userIDs: 5...6)))
    #expect(matchesTransports(Rule(1), Rule(2, protocolNumber: 6)))
    #expect(matchesTransports(Rule(1), Rule(2, sourcePorts: 1...2)))
    #expect(matchesTransports(Rule(1), Rule(2, destinationPorts: 443...443)))
  }

  @Test func `only a property that statuses depend on changes a link`() {
    var state = NetworkState()
    var answers = [state.update(Self.link(2, "eth0")), state.update(Self.link(2, "eth0"))]
    answers.append(state.update(Self.link(2, "eth0", .noCarrier)))
    answers.append(state.update(Self.link(2, "eth1", .noCarrier)))
    answers.append(state.update(Self.link(2, "eth1", .noCarrier)))
    #expect(answers == [true, false, true, true, false])
    #expect(state.links == [2: Self.link(2, "eth1", .noCarrier)])
  }

  @Test(
    arguments: [(.up, false), (.down, false), (.noCarrier, true), (.dormant, true)]
      as [(LinkState.Condition, Bool)])
  func `a link that is up without a carrier and has IPv4 may be a dead next hop`(
    condition: LinkState.Condition, mayBeDead: Bool
  ) {
    var state = NetworkState()
    _ = state.update(Self.link(2, "eth0", condition))
    _ = state.update(AddressMessage("fd00:1::1/64", on: 2))
    _ = state.settle()
    #expect(!state.mayHaveDeadHops)
    _ = state.update(AddressMessage("10.1.0.1/24", on: 2))
    _ = state.settle()
    #expect(state.mayHaveDeadHops == mayBeDead)
  }

  @Test func `a renamed link is found only by its new name`() {
    var state = NetworkState()
    _ = state.update(Self.link(2, "eth0"))
    _ = state.update(Self.link(2, "lan"))
    #expect(state.index(of: .name("eth0")) == nil)
    #expect(state.index(of: .name("lan")) == 2)
  }

  @Test func `a link is found by each of its current alternative names`() {
    var state = NetworkState()
    var link = Self.link(2, "eth0")
    link.alternativeNames = ["enp0s1", "uplink"]
    _ = state.update(link)
    func indexes() -> [Int32?] { ["eth0", "enp0s1", "uplink"].map { state.index(of: .name($0)) } }
    #expect(indexes() == [2, 2, 2])
    link.alternativeNames = ["uplink"]
    var isChange = state.update(link)
    #expect(isChange)
    #expect(indexes() == [2, nil, 2])
    // Another link takes both names.
    var other = Self.link(3, "eth0")
    other.alternativeNames = ["uplink"]
    _ = state.update(other)
    isChange = state.removeLink(2)
    #expect(isChange)
    #expect(indexes() == [3, nil, 3])
  }

  @Test func `names are compared by their bytes`() {
    var state = NetworkState()
    for (index, name) in ["caf\u{e9}", "cafe\u{301}"].enumerated() {
      _ = state.update(Self.link(2 + index, name))
    }
    for byte: UInt8 in [0xfe, 0xff] {
      let name = InterfaceName(bytes: [0x78, byte])
      var link = Self.link(4 + Int(byte & 1), name.text)
      link.nameBeyondText = name
      _ = state.update(link)
    }
    #expect(state.index(of: .name("caf\u{e9}")) == 2)
    #expect(state.index(of: .name("cafe\u{301}")) == 3)
    #expect(state.index(of: .name("x\u{fffd}")) == nil)
    _ = state.removeLink(2)
    #expect(state.index(of: .name("caf\u{e9}")) == nil)
    #expect(state.index(of: .name("cafe\u{301}")) == 3)
    #expect(
      [4, 5].map { state.links[$0]?.names } == [0xfe, 0xff].map { [InterfaceName(bytes: [0x78, $0])] })
  }

  @Test func `links that swap names keep their identities`() {
    var state = NetworkState()
    _ = state.update(Self.link(2, "a"))
    _ = state.update(Self.link(3, "b"))
    // After a loss of messages, two links have the same name for a moment.
    _ = state.update(Self.link(3, "a"))
    _ = state.update(Self.link(2, "b"))
    #expect(state.index(of: .name("a")) == 3)
    #expect(state.index(of: .name("b")) == 2)
  }

  @Test func `a name that moved to another link survives the old link`() {
    var state = NetworkState()
    _ = state.update(Self.link(2, "a"))
    _ = state.update(Self.link(3, "a"))
    let wasThere = state.removeLink(2)
    #expect(wasThere)
    #expect(state.index(of: .name("a")) == 3)
  }

  @Test func `a removed link loses its name and addresses`() {
    var state = NetworkState()
    _ = state.update(Self.link(2, "eth0"))
    _ = state.update(AddressMessage("10.1.0.1/24", on: 2))
    var answers = [state.removeLink(2), state.removeLink(2)]
    #expect(answers == [true, false])
    #expect(state == NetworkState())

    // The messages of its addresses may arrive after its own.
    answers = [state.remove(AddressMessage("10.1.0.1/24", on: 2))]
    #expect(answers == [false])
  }

  @Test func `an address is new, changed or the same`() {
    var state = NetworkState()
    var deprecated = AddressMessage("10.1.0.1/24", on: 2)
    deprecated.flags = AddressFlags(rawValue: 0x20)
    let answers = [
      state.update(AddressMessage("10.1.0.1/24", on: 2)),
      state.update(AddressMessage("10.1.0.1/24", on: 2)),
      state.update(AddressMessage("10.1.0.1/16", on: 2)),
      state.update(AddressMessage("10.1.0.1/24", on: 3)),
      state.update(deprecated),
    ]
    #expect(answers == [true, false, true, true, true])
    #expect(
      state.addresses.mapValues { Set($0) } == [
        2: [AddressMessage("10.1.0.1/16", on: 2), deprecated],
        3: [AddressMessage("10.1.0.1/24", on: 3)],
      ])
  }

  @Test func `an address is removed by its prefix, whatever its flags`() {
    var state = NetworkState()
    _ = state.update(AddressMessage("10.1.0.1/24", on: 2))
    _ = state.update(AddressMessage("10.1.0.1/16", on: 2))
    var deprecated = AddressMessage("10.1.0.1/24", on: 2)
    deprecated.flags = AddressFlags(rawValue: 0x20)
    let answers = [
      state.remove(AddressMessage("10.1.0.1/24", on: 3)), state.remove(AddressMessage("10.1.0.2/24", on: 2)),
      state.remove(deprecated), state.remove(deprecated),
      state.remove(AddressMessage("10.1.0.1/16", on: 2)),
    ]
    #expect(answers == [false, false, true, false, true])
    #expect(state.addresses.isEmpty)
  }

  @Test func `the owners of a destination are the links with an address in its prefix`() {
    var state = NetworkState()
    _ = state.update(Self.link(2, "eth0"))
    _ = state.update(Self.link(3, "eth1"))
    _ = state.update(AddressMessage("10.1.0.1/24", on: 2))
    _ = state.update(AddressMessage("10.1.0.2/16", on: 3))
    _ = state.update(AddressMessage("fd00::1/64", on: 3))
    // The link of this address is not known.
    _ = state.update(AddressMessage("10.1.0.3/8", on: 4))
    func owners(_ destination: ReachabilityAddress) -> [Int32] {
      state.owners(of: destination).map(\.index).sorted()
    }
    #expect(owners("10.1.0.77") == [2, 3])
    #expect(owners("10.1.1.77") == [3])
    #expect(owners("10.2.0.77") == [])
    #expect(owners("fd00::77") == [3])
    #expect(owners("fd00:0:0:1::77") == [])
  }
}
#endif
