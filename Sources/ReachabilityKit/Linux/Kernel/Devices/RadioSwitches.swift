// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink
import POSIX

/// The rfkill switches of radios in sysfs, which any user may read; see the kernel's `driver-api/rfkill`.
struct RadioSwitches: Sendable {
  /// The sysfs folder of network devices.
  var devices = "/sys/class/net"
  /// The sysfs folder of switches.
  var switches = "/sys/class/rfkill"

  /// The number of switches that are read at most; machines have fewer.
  private static var limit: Int { 64 }

  /// Returns the block of a link's radio; `nil` if there is none, or none is known.
  ///
  /// - Parameter message: The link, with which its ``DeviceRecord`` must agree.
  func block(of message: LinkMessage, _ kind: ReachabilityInterface.Kind) -> RadioBlock? {
    guard let name = message.name, DeviceRecord(of: message, in: devices) != nil else { return nil }
    if kind == .wifi {
      // A Wi-Fi device has its own switch below its radio.
      let radio = "\(devices)/\(name)/phy80211"
      let own = SystemFile.entries(of: radio, upTo: 256).filter { $0.hasPrefix("rfkill") }
      if !own.isEmpty { return Self.worst(own.map { block(in: "\(radio)/\($0)") }) }
    }
    guard let type = Self.types[kind] else { return nil }
    let folders = SystemFile.entries(of: switches, upTo: Self.limit).map { "\(switches)/\($0)" }
    return Self.worst(
      folders.filter { SystemFile.line(of: "\($0)/type", upTo: 64) == type }.map { block(in: $0) })
  }

  /// The kernel's names for the types, `enum rfkill_type`.
  private static let types: [ReachabilityInterface.Kind: String] = [
    .wifi: "wlan", .cellular: "wwan", .bluetooth: "bluetooth",
  ]

  private func block(in folder: String) -> RadioBlock? {
    if SystemFile.line(of: "\(folder)/hard", upTo: 64) == "1" { return .hard }
    return SystemFile.line(of: "\(folder)/soft", upTo: 64) == "1" ? .soft : nil
  }

  private static func worst(_ blocks: [RadioBlock?]) -> RadioBlock? {
    if blocks.contains(.hard) { return .hard }
    return blocks.contains(.soft) ? .soft : nil
  }
}
#endif
