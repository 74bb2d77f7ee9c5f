// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import POSIX
import Testing
@testable import Netlink
@testable import ReachabilityKit

@Suite(.deadline) struct LinkClassifierTests {
  private static func kinds(
    _ links: [LinkMessage], radios: ScriptedRadios?, folder: String = "/nowhere"
  ) -> [ReachabilityInterface.Kind?] {
    LinkClassifier(wireless: radios, folder: folder).kinds(of: links)
  }

  // MARK: Radios

  @Test func `nl80211 distinguishes the recorded Wi-Fi links`() throws {
    let names = [
      "link-wifi", "link-radio-tap", "link-wifi-monitor", "link-veth", "link-loopback", "link-bridge",
    ]
    let radios = ScriptedRadios([27, 30])
    let kinds = Self.kinds(try names.map(recordedLink), radios: radios)
    #expect(kinds == [.wifi, nil, .wifi, nil, nil, nil])
    // Virtual links cause no query, and the others one batch.
    #expect(radios.asked == [27, 29, 30])
    #expect(radios.listings == 1)
  }

  @Test(arguments: ["virtio", "vmbus", "xen"])
  func `a hypervisor's device is no radio and causes no query`(bus: String) throws {
    var link = try recordedLink("link-wifi")
    link.parentBus = bus
    let radios = ScriptedRadios([27])
    #expect(Self.kinds([link], radios: radios) == [nil])
    #expect(radios.asked == [] && radios.listings == 0)
  }

  @Test(arguments: ["pci", "usb", "sdio", "platform", nil])
  func `a device on any other bus may be a radio`(bus: String?) throws {
    var link = try recordedLink("link-wifi")
    link.parentBus = bus
    #expect(Self.kinds([link], radios: ScriptedRadios([27])) == [.wifi])
  }

  @Test(
    arguments: [
      "link-wwan", "link-ppp", "link-wireguard", "link-tun", "link-tap", "link-vlan", "link-bond", "link-vrf",
      "link-bluetooth", "link-dummy", "link-ifb", "link-nlmon", "link-vxlan", "link-sit", "link-macvlan",
      "link-loopback",
    ])
  func `a link whose message reveals its kind causes no query`(name: String) throws {
    let link = try recordedLink(name)
    let radios = ScriptedRadios([link.index])
    #expect(Self.kinds([link], radios: radios) == [nil])
    #expect(radios.asked == [] && radios.listings == 0)
  }

  @Test func `a kernel without nl80211 has no radios`() throws {
    let radios = ScriptedRadios()
    radios.set(nil)
    #expect(Self.kinds([try recordedLink("link-wifi")], radios: radios) == [nil])
    #expect(radios.asked == [] && radios.listings == 1)
  }

  @Test(arguments: [Errno.accessDenied, Errno(rawValue: 1), nil])
  func `a sandbox that refuses or drops the query is queried once, then sysfs`(errno: Errno?)
    throws
  {
    let link = try recordedLink("link-wifi")
    let folder = try DeviceFolder()
    try folder.add(link, type: "wlan")
    let radios = ScriptedRadios([27])
    radios.fail(errno)
    let classifier = LinkClassifier(wireless: radios, folder: folder.path)
    #expect(classifier.kinds(of: [link]) == [.wifi])
    #expect(classifier.kinds(of: [link]) == [.wifi])
    #expect(radios.listings == (errno == nil ? 1 : 0))
    #expect(radios.asked == [])
  }

  @Test func `nl80211 overrides sysfs`() throws {
    var link = try recordedLink("link-wifi")
    link.parentBus = "pci"
    let folder = try DeviceFolder()
    try folder.add(link, type: "wlan")
    #expect(Self.kinds([link], radios: ScriptedRadios([link.index + 1]), folder: folder.path) == [nil])
  }

  @Test func `without a socket sysfs reveals a radio on any bus`() throws {
    var link = try recordedLink("link-wifi")
    link.parentBus = "pci"
    let folder = try DeviceFolder()
    try folder.add(link, type: "wlan")
    #expect(Self.kinds([link], radios: nil, folder: folder.path) == [.wifi])
    #expect(Self.kinds([link], radios: nil) == [nil])
  }

  // MARK: Modems and Bluetooth

  @Test(
    arguments: [
      ("wwan", .cellular), ("wlan", .wifi), ("bluetooth", .bluetooth), ("gadget", nil), (nil, nil),
    ] as [(String?, ReachabilityInterface.Kind?)])
  func `sysfs distinguishes a recorded modem from Ethernet`(type: String?, kind: ReachabilityInterface.Kind?)
    throws
  {
    let link = try recordedLink("link-usb-modem")
    let folder = try DeviceFolder()
    try folder.add(link, type: type)
    #expect(Self.kinds([link], radios: ScriptedRadios(), folder: folder.path) == [kind])
  }

  @Test func `a tethered phone keeps the kind of its message`() throws {
    let link = try recordedLink("link-usb-phone")
    let folder = try DeviceFolder()
    try folder.add(link, type: nil)
    #expect(Self.kinds([link], radios: ScriptedRadios(), folder: folder.path) == [nil])
  }

  @Test func `a raw-IP modem without an address is recognized`() throws {
    var link = try recordedLink("link-usb-modem")
    link.hardwareType = .none
    link.hardwareAddress = nil
    let folder = try DeviceFolder()
    try folder.add(link, type: "wwan")
    let radios = ScriptedRadios()
    #expect(Self.kinds([link], radios: radios, folder: folder.path) == [.cellular])
    #expect(radios.listings == 0)
  }

  @Test func `without a parent in the message sysfs decides`() throws {
    var link = try recordedLink("link-usb-modem")
    link.parentBus = nil
    link.parentDevice = nil
    let folder = try DeviceFolder()
    try folder.add(link, type: "bluetooth")
    #expect(Self.kinds([link], radios: ScriptedRadios(), folder: folder.path) == [.bluetooth])
  }

  @Test func `a link is classified anew once it looks different`() throws {
    let recorded = try recordedLink("link-usb-modem")
    for change in [
      { $0.name = "other0" }, { $0.hardwareAddress = [2, 0, 0, 0, 0, 9] }, { $0.parentDevice = "9-9:1.0" },
    ] as [(inout LinkMessage) -> Void] {
      let folder = try DeviceFolder()
      try folder.add(recorded, type: "wwan")
      var classification = LinkClassification(
        LinkClassifier(wireless: ScriptedRadios(), folder: folder.path))
      var link = recorded
      let first = classification.kind(of: link)
      change(&link)
      let second = classification.kind(of: link)
      // No device looks so.
      #expect(first == .cellular && second == nil, "\(link)")
    }
  }

  @Test func `a link is not below itself`() throws {
    var link = try recordedLink("link-vlan")
    #expect(link.lowerHere != nil)
    link.lower = link.index
    #expect(link.lowerHere == nil)
  }

  @Test func `sysfs is not read for devices on other buses`() throws {
    var link = try recordedLink("link-usb-modem")
    link.parentBus = "pci"
    let folder = try DeviceFolder()
    try folder.add(link, type: "wwan")
    #expect(Self.kinds([link], radios: ScriptedRadios(), folder: folder.path) == [nil])
  }

  // MARK: The sysfs of another network namespace

  private static let strangers: [(String, Int32?, String?, String?)] = [
    ("another index", 4, "a6:ae:88:bd:d3:ad", "1-1:1.0"), ("no index", nil, "a6:ae:88:bd:d3:ad", "1-1:1.0"),
    ("another address", 3, "a6:ae:88:bd:d3:ae", "1-1:1.0"), ("an empty address", 3, "", "1-1:1.0"),
    ("no address", 3, nil, "1-1:1.0"), ("a longer address", 3, "a6:ae:88:bd:d3:ad:00", "1-1:1.0"),
    ("an address on the second line", 3, "\na6:ae:88:bd:d3:ad", "1-1:1.0"),
    ("another parent", 3, "a6:ae:88:bd:d3:ad", "1-2:1.0"), ("no parent", 3, "a6:ae:88:bd:d3:ad", nil),
  ]

  @Test(arguments: strangers)
  func `the sysfs record of another device with the same name is ignored`(
    name: String, index: Int32?, address: String?, parent: String?
  ) throws {
    let link = try recordedLink("link-usb-modem")
    let folder = try DeviceFolder()
    try folder.add("wwan0", index: index, type: "wwan", address: address, parent: parent)
    #expect(Self.kinds([link], radios: ScriptedRadios(), folder: folder.path) == [nil])
  }

  @Test func `a line of a sysfs file ends only at a line feed`() throws {
    let folder = try DeviceFolder()
    let link = try recordedLink("link-usb-modem")
    try folder.add(
      "wwan0", index: 3, type: "wwan\r\nDEVTYPE=wlan", address: "a6:ae:88:bd:d3:ad", parent: "1-1:1.0")
    #expect(DeviceRecord(of: link, in: folder.path)?.type == "wlan")
  }

  @Test func `the sysfs record of the same device counts`() throws {
    let link = try recordedLink("link-usb-modem")
    let folder = try DeviceFolder()
    try folder.add("wwan0", index: 3, type: "wwan", address: "a6:ae:88:bd:d3:ad", parent: "1-1:1.0")
    #expect(Self.kinds([link], radios: ScriptedRadios(), folder: folder.path) == [.cellular])
  }

  @Test(arguments: [".", "..", "", "../wwan0", "a/b", nil])
  func `a name that is no file name has no sysfs record`(name: String?) throws {
    var link = try recordedLink("link-usb-modem")
    let folder = try DeviceFolder()
    try folder.add(link, type: "wwan")
    link.name = name.map { InterfaceName($0) }
    #expect(Self.kinds([link], radios: ScriptedRadios(), folder: folder.path + "/wwan0") == [nil])
  }

  @Test(
    arguments: [
      "", "\n\n\n", "DEVTYPE", "DEVTYPE=", "=wwan\nIFINDEX=3", "IFINDEX=99999999999\nDEVTYPE=wwan",
      "IFINDEX=3 \nDEVTYPE=wwan", "IFINDEX=-3\nDEVTYPE=wwan", "DEVTYPE=wwanx\nIFINDEX=3",
      String(repeating: "A=B\n", count: 2000) + "IFINDEX=3\nDEVTYPE=wwan\n",
    ])
  func `malformed sysfs files are ignored`(text: String) throws {
    let link = try recordedLink("link-usb-modem")
    let folder = try DeviceFolder()
    try folder.add(link, type: "wwan")
    try folder.write(text, to: "wwan0/uevent")
    #expect(Self.kinds([link], radios: ScriptedRadios(), folder: folder.path) == [nil])
  }
}
#endif
