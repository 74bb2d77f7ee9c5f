// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Netlink
import ReachabilityKit
import Testing

/// The medium of links that stand on other links.
@Suite(.deadline) struct LinkStackTests {
  private static func link(
    _ index: Int, _ kind: ReachabilityInterface.Kind = .wired, isTunnel: Bool = false,
    isTransient: Bool = false,
    master: Int32? = nil, lower: Int32? = nil, _ foundation: LowerLinks = .none
  ) -> LinkState {
    LinkState(
      ReachabilityInterface(name: "l\(index)", index: index, kind: kind, isTunnel: isTunnel),
      isTransient: isTransient, master: master, lower: lower, foundation: foundation)
  }

  private static func settled(_ links: LinkState...) -> NetworkState {
    var state = NetworkState()
    for link in links { _ = state.update(link) }
    _ = state.settle()
    return state
  }

  private static func kind(of index: Int32, _ links: LinkState...) -> ReachabilityInterface.Kind? {
    var state = NetworkState()
    for link in links { _ = state.update(link) }
    _ = state.settle()
    return state.links[index]?.interface.kind
  }

  @Test(
    arguments: [
      (.wifi, false, false), (.cellular, false, true), (.bluetooth, false, false), (.wired, false, false),
      (.other, true, true),
    ] as [(ReachabilityInterface.Kind, Bool, Bool)])
  func `a link above one other link has its medium`(
    kind: ReachabilityInterface.Kind, isTunnel: Bool, isTransient: Bool
  ) {
    let state = Self.settled(
      Self.link(2, kind, isTunnel: isTunnel, isTransient: isTransient), Self.link(3, lower: 2, .lower))
    #expect(
      state.links[3]?.character == LinkKind(kind, isTunnel: isTunnel, isTransient: isTransient))
  }

  @Test func `a link above a missing link or loopback keeps its own medium`() {
    #expect(Self.kind(of: 3, Self.link(3, lower: 2, .lower)) == .wired)
    #expect(Self.kind(of: 3, Self.link(3, lower: nil, .lower)) == .wired)
    #expect(Self.kind(of: 3, Self.link(1, .loopback), Self.link(3, lower: 1, .lower)) == .wired)
  }

  @Test func `a link that only names another one keeps its own medium`() {
    #expect(Self.kind(of: 3, Self.link(2, .wifi), Self.link(3, .other, lower: 2)) == .other)
  }

  @Test(
    arguments: [
      ([.wifi], .wifi), ([.wifi, .wifi], .wifi), ([.wifi, .wired], .wired), ([], .wired), ([.wired], .wired),
      ([.wifi, .other], .wifi), ([.other], .wired), ([.bluetooth, .wifi, .wifi], .wired),
    ] as [([ReachabilityInterface.Kind], ReachabilityInterface.Kind)])
  func `a bridge has the common medium of its outgoing ports, or else is wired`(
    ports: [ReachabilityInterface.Kind], expected: ReachabilityInterface.Kind
  ) {
    var state = NetworkState()
    for (place, kind) in ports.enumerated() { _ = state.update(Self.link(10 + place, kind, master: 2)) }
    _ = state.update(Self.link(2, .wired, .ports(active: nil)))
    _ = state.update(Self.link(9, .cellular, master: 3))
    _ = state.settle()
    #expect(state.links[2]?.character == LinkKind(expected))
  }

  @Test func `a link with only dialled ports is dialled`() {
    let state = Self.settled(
      Self.link(2, .wired, .ports(active: nil)), Self.link(3, .cellular, isTransient: true, master: 2),
      Self.link(4, .cellular, isTransient: true, master: 2))
    #expect(state.links[2]?.character == LinkKind(.cellular, isTransient: true))
  }

  @Test func `a link with one port that is not dialled is not dialled`() {
    for isFirstDialled in [true, false] {
      let state = Self.settled(
        Self.link(2, .wired, .ports(active: nil)),
        Self.link(3, .cellular, isTransient: isFirstDialled, master: 2),
        Self.link(4, .cellular, isTransient: !isFirstDialled, master: 2))
      #expect(state.links[2]?.character == LinkKind(.cellular))
    }
  }

  @Test func `a bond has the medium of its active port`() {
    // There is no link 5, and link 6 belongs to another bond.
    for (active, kind) in [(3, .wifi), (4, .wired), (5, .wired), (6, .wired), (nil, .wired)]
      as [(Int32?, ReachabilityInterface.Kind)]
    {
      let bond = Self.link(2, .wired, .ports(active: active))
      #expect(
        Self.kind(
          of: 2, bond, Self.link(3, .wifi, master: 2), Self.link(4, .wired, master: 2),
          Self.link(6, .wifi, master: 9)) == kind)
    }
  }

  @Test func `a link two levels above a radio is Wi-Fi, in any order of messages`() {
    let links = [
      Self.link(2, .wifi, master: 3), Self.link(3, .wired, .ports(active: nil)),
      Self.link(4, lower: 3, .lower),
      Self.link(5, lower: 4, .lower),
    ]
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
      var state = NetworkState()
      for place in order {
        _ = state.update(links[place])
        if place % 2 == 0 { _ = state.settle() }
      }
      _ = state.settle()
      #expect(state.links.values.map(\.interface.kind) == Array(repeating: .wifi, count: 4), "\(order)")
    }
  }

  // MARK: Changes

  @Test func `a change of a lower link changes the upper one once`() {
    var state = Self.settled(Self.link(2, .wired), Self.link(3, lower: 2, .lower))
    #expect(Self.settle(&state) == false)
    _ = state.update(Self.link(2, .wifi))
    #expect(Self.settle(&state) == true)
    #expect(Self.settle(&state) == false)
    #expect(state.links[3]?.interface.kind == .wifi)
    _ = state.removeLink(2)
    #expect(Self.settle(&state) == true)
    #expect(state.links[3]?.interface.kind == .wired)
  }

  @Test func `a repeated message of a stacked link is no change`() {
    var state = Self.settled(Self.link(2, .wifi), Self.link(3, lower: 2, .lower))
    let isChange = state.update(Self.link(3, lower: 2, .lower))
    #expect(!isChange)
    #expect(Self.settle(&state) == false)
    #expect(state.links[3]?.interface.kind == .wifi)
  }

  @Test func `a stacked link that moves to another link has its medium`() {
    var state = Self.settled(Self.link(2, .wifi), Self.link(4, .cellular), Self.link(3, lower: 2, .lower))
    let isChange = state.update(Self.link(3, lower: 4, .lower))
    #expect(isChange)
    _ = state.settle()
    #expect(state.links[3]?.interface.kind == .cellular)
    // Hardware with the same index has no lower link.
    _ = state.update(Self.link(3, .wired, lower: 4))
    _ = state.settle()
    #expect(state.links[3]?.interface.kind == .wired)
  }

  @Test func `a change that affects no stacked link causes no work`() {
    var state = Self.settled(Self.link(2, .wifi), Self.link(3, lower: 2, .lower))
    var down = Self.link(2, .wifi)
    down.condition = .noCarrier
    let isChange = state.update(down)
    #expect(isChange)
    #expect(Self.settle(&state) == false)
  }

  @Test func `a bridge without ports has no carrier`() {
    let bridge = LinkState(
      ReachabilityInterface(name: "br0", index: 3, kind: .wired, linkType: "bridge"),
      foundation: .ports(active: nil))
    var state = Self.settled(bridge, Self.link(2, master: 3))
    _ = state.update(AddressMessage("10.1.0.1/24", on: 3))
    #expect(Self.settle(&state) == false)
    #expect(state.links[3]?.condition == .up)
    #expect(!state.mayHaveDeadHops)
    _ = state.update(Self.link(2))
    #expect(Self.settle(&state) == true)
    #expect(state.links[3]?.condition == .noCarrier)
    #expect(state.mayHaveDeadHops)
    _ = state.update(Self.link(2, master: 3))
    #expect(Self.settle(&state) == true)
    #expect(state.links[3]?.condition == .up)
    #expect(!state.mayHaveDeadHops)
  }

  private static func settle(_ state: inout NetworkState) -> Bool { state.settle() }

  // MARK: Lower links

  @Test func `the links below are the lower link and the members`() {
    let state = Self.settled(
      Self.link(9, master: 2), Self.link(3, .wifi, master: 2), Self.link(2, .wired, .ports(active: nil)),
      Self.link(4, lower: 2, .lower), Self.link(5, .other, isTunnel: true, lower: 3), Self.link(6, lower: 77))
    #expect(state.lower(of: 2).map(\.name) == ["l3", "l9"])
    #expect(state.lower(of: 4).map(\.name) == ["l2"])
    #expect(state.lower(of: 5).map(\.name) == ["l3"])
    #expect(state.lower(of: 6) == [])
    #expect(state.lower(of: 3) == [])
    #expect(state.lower(of: 99) == [])
  }

  // MARK: Contradictory messages

  @Test(.timeLimit(.minutes(10)))
  func `a cycle of stacked links ends`() {
    let ring = (0..<40).map { Self.link(2 + $0, lower: Int32(2 + ($0 + 1) % 40), .lower) }
    var state = NetworkState()
    for link in ring { _ = state.update(link) }
    _ = state.update(Self.link(50, master: 50, .ports(active: 50)))
    _ = state.update(Self.link(51, master: 52, .ports(active: nil)))
    _ = state.update(Self.link(52, master: 51, .ports(active: nil)))
    _ = state.settle()
    #expect(state.links.values.map(\.interface.kind) == Array(repeating: .wired, count: 43))
    #expect(state.lower(of: 50) == [])
  }

  @Test func `a stack of the kernel's greatest height is resolved to its base`() {
    var state = NetworkState()
    _ = state.update(Self.link(2, .wifi))
    for index in 3...11 { _ = state.update(Self.link(index, lower: Int32(index - 1), .lower)) }
    _ = state.settle()
    #expect(state.links[11]?.interface.kind == .wifi)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a change costs as much as the links that it affects`() {
    var state = NetworkState()
    _ = state.update(Self.link(1, .wifi))
    for index in 2...19_999 {
      _ = state.update(Self.link(index, lower: Int32(index % 500 == 2 ? 1 : index / 500 * 500 + 2), .lower))
      _ = state.settle()
      _ = state.update(Self.link(index + 50_000))
      _ = state.settle()
    }
    #expect(state.links.values.count { $0.interface.kind == .wifi } == 19_999)
  }

  @Test(.timeLimit(.minutes(10)))
  func `thousands of ports are settled in one pass`() {
    var state = NetworkState()
    _ = state.update(Self.link(2, .wired, .ports(active: nil)))
    for index in 3...20_002 { _ = state.update(Self.link(index, .wifi, master: 2)) }
    let isChange = state.settle()
    #expect(isChange)
    #expect(state.links[2]?.interface.kind == .wifi)
  }
}
#endif
