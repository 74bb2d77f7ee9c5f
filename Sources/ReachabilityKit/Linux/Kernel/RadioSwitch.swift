#if os(Linux)
import Netlink
import POSIX

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The switches of radios, as sysfs shows them.
///
/// Anybody may read them. The kernel's documentation is `driver-api/rfkill`.
struct RadioSwitches: Sendable {
  /// Where sysfs lists the network devices.
  var devices = "/sys/class/net"
  /// Where it lists the switches.
  var switches = "/sys/class/rfkill"

  /// How many switches are looked at; no machine has as many.
  private static var limit: Int { 64 }

  /// How the radio of a link is blocked; `nil` if it is not, or nothing is known of it.
  ///
  /// - Parameter message: The link: its files count only if they are of the same device.
  func block(of message: LinkMessage, _ kind: ReachabilityInterface.Kind) -> RadioBlock? {
    guard let name = message.name, DeviceRecord(of: message, in: devices) != nil else { return nil }
    if kind == .wifi {
      // A Wi-Fi device has a switch of its own below its radio.
      let radio = "\(devices)/\(name)/phy80211"
      let own = SystemFile.entries(of: radio, upTo: 256).filter { $0.hasPrefix("rfkill") }
      if !own.isEmpty { return Self.worst(own.map { block(in: "\(radio)/\($0)") }) }
    }
    guard let type = Self.types[kind] else { return nil }
    let folders = SystemFile.entries(of: switches, upTo: Self.limit).map { "\(switches)/\($0)" }
    return Self.worst(folders.filter { Self.word(in: "\($0)/type") == type }.map { block(in: $0) })
  }

  /// How the kernel calls them: `enum rfkill_type`.
  private static let types: [ReachabilityInterface.Kind: String] = [
    .wifi: "wlan", .cellular: "wwan", .bluetooth: "bluetooth",
  ]

  private func block(in folder: String) -> RadioBlock? {
    if Self.word(in: "\(folder)/hard") == "1" { return .hard }
    return Self.word(in: "\(folder)/soft") == "1" ? .soft : nil
  }

  private static func worst(_ blocks: [RadioBlock?]) -> RadioBlock? {
    if blocks.contains(.hard) { return .hard }
    return blocks.contains(.soft) ? .soft : nil
  }

  /// What a file says in one line; `nil` if it can't be read.
  private static func word(in file: String) -> String? {
    guard let bytes = try? SystemFile.contents(of: file, upTo: 64) else { return nil }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}

extension SystemFile {
  /// The names in a folder, in no order, without those that begin with a dot; none if it can't be read.
  static func entries(of folder: String, upTo limit: Int) -> [String] {
    guard let stream = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while names.count < limit, let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}
#endif
