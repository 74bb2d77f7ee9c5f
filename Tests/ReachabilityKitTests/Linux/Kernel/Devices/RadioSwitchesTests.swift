// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import Testing

@testable import Netlink
@testable import ReachabilityKit

/// The blocks of radios in sysfs files.
@Suite(.deadline) struct RadioSwitchesTests {
  private let folder: DeviceFolder
  private let link: LinkMessage

  init() throws {
    folder = try DeviceFolder()
    link = try recordedLink("link-wifi")
    try folder.add(link, type: "wlan")
  }

  private var name: String { link.name?.text ?? "" }
  private var switches: RadioSwitches {
    RadioSwitches(devices: folder.path, switches: "\(folder.path)/rfkill")
  }

  /// Adds a switch to a folder of switches, or to a device.
  private func add(_ place: String, type: String? = nil, soft: String?, hard: String?) throws {
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/\(place)", withIntermediateDirectories: true)
    for (file, text) in [("type", type), ("soft", soft), ("hard", hard)] {
      if let text { try folder.write(text, to: "\(place)/\(file)") }
    }
  }

  @Test(
    arguments: [
      ("0\n", "0\n", nil), ("1\n", "0\n", .soft), ("0\n", "1\n", .hard), ("1\n", "1\n", .hard),
      (nil, nil, nil),
      ("", "", nil), ("11\n", "yes\n", nil), ("1", nil, .soft),
    ] as [(String?, String?, RadioBlock?)])
  func `a Wi-Fi device's own switch decides`(_ soft: String?, _ hard: String?, _ block: RadioBlock?) throws {
    try add("\(name)/phy80211/rfkill3", soft: soft, hard: hard)
    // The switch of another device does not.
    try add("rfkill/rfkill9", type: "wlan\n", soft: "1\n", hard: "1\n")
    #expect(switches.block(of: link, .wifi) == block)
  }

  @Test func `switches of the same type block other radios`() throws {
    try add("rfkill/rfkill0", type: "wlan\n", soft: "1\n", hard: "1\n")
    try add("rfkill/rfkill1", type: "wwan\n", soft: "0\n", hard: "0\n")
    #expect(switches.block(of: link, .cellular) == nil)
    try add("rfkill/rfkill2", type: "wwan\n", soft: "1\n", hard: "0\n")
    #expect(switches.block(of: link, .cellular) == .soft)
    #expect(switches.block(of: link, .bluetooth) == nil)
    try add("rfkill/rfkill3", type: "bluetooth\n", soft: "1\n", hard: "1\n")
    #expect(switches.block(of: link, .bluetooth) == .hard)
    // So is Wi-Fi without its own switch.
    #expect(switches.block(of: link, .wifi) == .hard)
    #expect(switches.block(of: link, .wired) == nil)
  }

  @Test func `files of another device with the same name are ignored`() throws {
    try add("\(name)/phy80211/rfkill0", soft: "1\n", hard: "0\n")
    #expect(switches.block(of: link, .wifi) == .soft)
    var other = link
    other.index += 1
    #expect(switches.block(of: other, .wifi) == nil)
    other = link
    other.name = InterfaceName("../\(name)")
    #expect(switches.block(of: other, .wifi) == nil)
  }

  @Test func `without rfkill files no block is known`() {
    #expect(switches.block(of: link, .wifi) == nil)
    #expect(RadioSwitches(devices: "/nowhere", switches: "/nowhere").block(of: link, .wifi) == nil)
  }
}
#endif
