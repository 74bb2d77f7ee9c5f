#if os(Linux)
import Netlink
import POSIX

/// What sysfs says of a network device.
///
/// Its files show the network namespace in which they were mounted, which need not be the one that is asked about:
/// there may be another device under the same name. So they count only where all that can be compared agrees.
struct DeviceRecord {
  /// What the driver calls the device, such as `wwan`, `wlan` or `bluetooth`.
  var type: String?

  /// Reads what there is of the link that the message is about; `nil` if that can't be found.
  init?(of message: LinkMessage, in folder: String) {
    guard let name = message.name?.text, !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
      return nil
    }
    let path = "\(folder)/\(name)"
    guard let description = Self.contents(of: "\(path)/uevent") else { return nil }
    var index: Int32?
    // By scalars: a carriage return and a line feed are one character.
    for line in description.unicodeScalars.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1).map { String($0) }
      guard parts.count == 2 else { continue }
      if parts[0] == "IFINDEX" { index = Int32(parts[1]) }
      if parts[0] == "DEVTYPE" { type = parts[1] }
    }
    guard index == message.index else { return nil }
    // Most devices have no type, and then it matters not whose they are.
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

  /// A hardware address as sysfs writes it.
  private static func text(of address: [UInt8]) -> String {
    address.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
  }

  private static func contents(of path: String) -> String? {
    // A page, which is as much as sysfs writes.
    (try? SystemFile.contents(of: path, upTo: 4096)).map { String(decoding: $0, as: UTF8.self) }
  }
}
#endif
