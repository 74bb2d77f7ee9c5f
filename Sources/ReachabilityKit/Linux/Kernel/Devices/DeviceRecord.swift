#if os(Linux)
import Netlink
import POSIX

/// The sysfs record of a network device.
///
/// Its files show the network namespace in which sysfs was mounted, which may hold another device of the same name. So
/// the record counts only if every attribute that can be compared agrees.
struct DeviceRecord {
  /// The driver's name for the type, for example `wwan`, `wlan` or `bluetooth`.
  var type: String?

  /// Reads the record of a message's link; returns `nil` if there is none that agrees.
  init?(of message: LinkMessage, in folder: String) {
    guard let name = message.name?.text, !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
      return nil
    }
    let path = "\(folder)/\(name)"
    guard let description = Self.contents(of: "\(path)/uevent") else { return nil }
    var index: Int32?
    // Split by scalars: a carriage return and a line feed are one character.
    for line in description.unicodeScalars.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1).map { String($0) }
      guard parts.count == 2 else { continue }
      if parts[0] == "IFINDEX" { index = Int32(parts[1]) }
      if parts[0] == "DEVTYPE" { type = parts[1] }
    }
    guard index == message.index else { return nil }
    // Most devices have no type, and then nothing else is compared.
    guard type != nil else { return }
    guard let address = Self.contents(of: "\(path)/address"),
      address.prefix(while: { $0 != "\n" }) == Self.text(of: message.hardwareAddress ?? [])
    else { return nil }
    if let parent = message.parentDevice {
      guard SystemFile.target(ofLink: "\(path)/device")?.split(separator: "/").last.map(String.init) == parent
      else {
        return nil
      }
    }
  }

  /// A hardware address in the notation of sysfs.
  private static func text(of address: [UInt8]) -> String {
    address.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
  }

  private static func contents(of path: String) -> String? {
    // A sysfs file holds at most one page.
    (try? SystemFile.contents(of: path, upTo: 4096)).map { String(decoding: $0, as: UTF8.self) }
  }
}
#endif
