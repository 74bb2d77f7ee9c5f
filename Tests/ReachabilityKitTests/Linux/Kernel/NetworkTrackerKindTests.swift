// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Testing
@testable import Netlink
@testable import ReachabilityKit

/// The kinds of links in the tables.
@Suite(.deadline) struct NetworkTrackerKindTests {
  /// A network, its radios, and the tracker of both.
  private struct Bench: ~Copyable {
    let network: ScriptedNetwork
    let radios: ScriptedRadios
    var tracker: NetworkTracker
  }

  private func begin(
    _ radios: Set<Int32>, folder: String = "/nowhere", _ links: [LinkMessage]
  ) throws -> Bench {
    let network = ScriptedNetwork()
    for link in links { network.changeSilently(.link(link)) }
    let wireless = ScriptedRadios(radios)
    var tracker = NetworkTracker(
      events: network.events(), questions: network.questions(),
      classifier: LinkClassifier(wireless: wireless, folder: folder))
    try tracker.start(NetworkTracker.allGroups)
    _ = tracker.readChange()
    return Bench(network: network, radios: wireless, tracker: tracker)
  }

  private func made(_ kind: String, _ index: Int32, _ name: String, over lower: Int32? = nil) -> LinkMessage {
    var link = LinkMessage.ethernet(index, name)
    link.kind = kind
    link.lower = lower
    return link
  }

  @Test func `reading the tables queries each possible Wi-Fi link once`()
    throws
  {
    let bench = try begin(
      [3], [.ethernet(2, "eth0"), .ethernet(3, "wlan0"), made("veth", 4, "v0")])
    let kinds = bench.tracker.networkState.links.mapValues(\.interface.kind)
    #expect(kinds == [2: .wired, 3: .wifi, 4: .wired])
    #expect(bench.radios.asked == [2, 3])
    #expect(bench.radios.listings == 1)
  }

  @Test func `virtual links alone cause no Wi-Fi query`() throws {
    let bench = try begin([], [made("veth", 2, "eth0"), made("bridge", 3, "br0")])
    #expect(bench.radios.listings == 0)
  }

  @Test func `a cable that stands for a modem remains one when it is announced`() throws {
    let network = ScriptedNetwork()
    network.changeSilently(.link(made("veth", 2, "wwan0")))
    var tracker = NetworkTracker(events: network.events(), questions: network.questions())
    tracker.setOriginals([made("wwan", 2, "wwan0")])
    try tracker.start(NetworkTracker.allGroups)
    #expect(tracker.networkState.links[2]?.interface.kind == .cellular)
    var cable = made("veth", 2, "wwan0")
    cable.mtu = 1400
    network.change(.link(cable))
    let link = tracker.readState().links[2]
    #expect(link?.mtu == 1400)
    #expect(link?.interface.kind == .cellular)
  }

  @Test func `a new Wi-Fi link is queried once while it exists`() throws {
    var bench = try begin([], [])
    bench.radios.set([3])
    bench.network.change(.link(.ethernet(3, "wlan0", isUp: false)))
    #expect(bench.tracker.readState().links[3]?.interface.kind == .wifi)
    for _ in 0..<3 {
      bench.network.change(.link(.ethernet(3, "wlan0")), .link(.ethernet(3, "wlan0", isUp: false)))
    }
    #expect(bench.tracker.readState().links[3]?.interface.kind == .wifi)
    #expect(bench.radios.asked == [3])
  }

  @Test func `a wireless event changes nothing and causes no query`() throws {
    var bench = try begin([2], [.ethernet(2, "wlan0")])
    let before = bench.tracker.networkState
    bench.network.announce(.event(try recordedEvent("link-wireless-event")))
    var partial = LinkMessage()
    partial.index = 2
    partial.hardwareType = .ethernet
    partial.changeMask = .max
    bench.network.announce(.event(.link(partial)))
    #expect(bench.tracker.readChange() == NetworkChange())
    #expect(bench.tracker.networkState == before)
    #expect(bench.radios.asked == [2])
  }

  @Test func `a link that is deleted and added again under its index is a new link`() throws {
    var bench = try begin([2], [.ethernet(2, "wlan0")])
    #expect(bench.tracker.networkState.links[2]?.interface.kind == .wifi)
    bench.radios.set([])
    bench.network.change(.linkRemoved(.ethernet(2, "wlan0")), .link(.ethernet(2, "wlan0")))
    #expect(bench.tracker.readState().links[2]?.interface.kind == .wired)
    bench.network.change(.linkRemoved(.ethernet(2, "wlan0")), .link(made("wireguard", 2, "wlan0")))
    #expect(
      bench.tracker.readState().links[2]?.interface
        == ReachabilityInterface(name: "wlan0", index: 2, kind: .other, isTunnel: true, linkType: "wireguard")
    )
    bench.radios.set([2])
    bench.network.change(.linkRemoved(.ethernet(2, "wlan0")), .link(.ethernet(2, "wlan0")))
    #expect(
      bench.tracker.readState().links[2]?.interface
        == ReachabilityInterface(name: "wlan0", index: 2, kind: .wifi))
  }

  @Test func `a new link under a known index is noticed after a lost message`() throws {
    var bench = try begin([2], [.ethernet(2, "net0")])
    bench.radios.set([])
    bench.network.announce(.overrun)
    #expect(bench.tracker.readState().links[2]?.interface.kind == .wired)
    #expect(bench.radios.asked == [2, 2])
  }

  @Test func `a link whose attributes change is queried again`() throws {
    var bench = try begin([], [.ethernet(2, "eth0")])
    bench.radios.set([2])
    bench.network.change(.link(.ethernet(2, "wlan0")))
    #expect(
      bench.tracker.readState().links[2]?.interface
        == ReachabilityInterface(name: "wlan0", index: 2, kind: .wifi))
    bench.network.change(.link(.ethernet(2, "home")))
    #expect(
      bench.tracker.readState().links[2]?.interface
        == ReachabilityInterface(name: "home", index: 2, kind: .wifi))
  }

  @Test func `a renamed modem is found by its sysfs record`() throws {
    var modem = try recordedLink("link-usb-modem")
    let folder = try DeviceFolder()
    modem.name = "usb0"
    var bench = try begin([], folder: folder.path, [modem])
    #expect(bench.tracker.networkState.links[3]?.interface.kind == .wired)
    modem.name = "wwan0"
    try folder.add(modem, type: "wwan")
    bench.network.change(.link(modem))
    let link = try #require(bench.tracker.readState().links[3])
    #expect(link.interface == ReachabilityInterface(name: "wwan0", index: 3, kind: .cellular))
    #expect(link.isTransient)
  }

  // MARK: Stacked links

  @Test func `a link stacked on Wi-Fi is Wi-Fi once the lower link is known`() throws {
    var bench = try begin(
      [3], [made("vlan", 2, "wlan0.5", over: 3), .ethernet(3, "wlan0"), made("macvlan", 4, "m0", over: 2)])
    #expect(bench.tracker.networkState.links.mapValues(\.interface.kind) == [2: .wifi, 3: .wifi, 4: .wifi])
    #expect(bench.tracker.networkState.lower(of: 4).map(\.name) == ["wlan0.5"])
    bench.network.change(.linkRemoved(.ethernet(3, "wlan0")))
    #expect(bench.tracker.readState().links.mapValues(\.interface.kind) == [2: .wired, 4: .wired])
  }

  @Test func `a port that joins or leaves a bridge changes the bridge's kind`() throws {
    var bench = try begin([3], [made("bridge", 2, "br0"), .ethernet(3, "wlan0")])
    #expect(bench.tracker.networkState.links[2]?.interface.kind == .wired)
    var port = LinkMessage.ethernet(3, "wlan0")
    port.master = 2
    bench.network.change(.link(port))
    #expect(bench.tracker.readChange() == .all)
    #expect(bench.tracker.networkState.links[2]?.interface.description == "br0 (wifi bridge)")
    // A repetition is no change, unless the carrier may have changed.
    port.changeMask = .max
    var bridge = made("bridge", 2, "br0")
    bridge.changeMask = .max
    bench.network.change(.link(port), .link(bridge))
    #expect(bench.tracker.readChange() == NetworkChange())
    bench.network.change(.link(.ethernet(3, "wlan0")))
    #expect(bench.tracker.readState().links[2]?.interface.description == "br0 (wired bridge)")
  }

  @Test func `an evaluation includes the announcements before its answer`() throws {
    var bench = try begin(
      [3], [made("bridge", 2, "br0"), .ethernet(3, "wlan0")])
    bench.network.changeSilently(.address(.ipv4("10.1.0.1", 24, on: 2)))
    var route = RouteMessage.to("10.1.0.2", 32)
    route.interface = 2
    route.preferredSource = "10.1.0.1"
    bench.network.setRoute(to: "10.1.0.2", .success(route))
    #expect(bench.tracker.evaluate(.address("10.1.0.2")).status.interface?.kind == .wired)
    var port = LinkMessage.ethernet(3, "wlan0")
    port.master = 2
    bench.network.change(.link(port))
    #expect(bench.tracker.evaluate(.address("10.1.0.2")).status.interface?.kind == .wifi)
  }

  @Test func `a recorded bond has the kind of its active port`() throws {
    var active = LinkMessage.ethernet(3, "wlan0")
    active.master = 7
    var idle = LinkMessage.ethernet(4, "eth0")
    idle.master = 7
    var bench = try begin([3], [try recordedLink("link-bond"), active, idle])
    #expect(bench.tracker.networkState.links[7]?.interface.description == "bond0 (wifi bond)")
    #expect(bench.tracker.networkState.lower(of: 7).map(\.name) == ["wlan0", "eth0"])
    var other = try recordedLink("link-bond")
    other.kindData = [8, 0, 2, 0, 4, 0, 0, 0]
    bench.network.change(.link(other))
    #expect(bench.tracker.readState().links[7]?.interface.description == "bond0 (wired bond)")
  }

  @Test(
    arguments: [
      ("link-vlan", 2), ("link-macvlan", 2), ("link-macvtap", 2), ("link-vxlan", 2), ("link-gre", 2),
      ("link-macvlan-moved", nil), ("link-veth", nil), ("link-wireguard", nil), ("link-wifi", nil),
      ("link-bridge", nil),
    ] as [(String, Int32?)])
  func `a recorded link names its lower link in the same network namespace`(
    name: String, lower: Int32?
  ) throws {
    #expect(LinkState(try recordedLink(name), since: nil)?.lower == lower)
  }
}
#endif
