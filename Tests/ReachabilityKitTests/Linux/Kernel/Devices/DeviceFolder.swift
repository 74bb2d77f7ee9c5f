// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
@testable import Netlink

/// A folder with the files of sysfs for network devices.
final class DeviceFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path(percentEncoded: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Adds the device of a message.
  func add(_ link: LinkMessage, type: String?) throws {
    let address = (link.hardwareAddress ?? []).map { String(format: "%02x", $0) }.joined(separator: ":")
    try add(
      link.name?.text ?? "", index: link.index, type: type, address: address, parent: link.parentDevice)
  }

  /// Adds a device without the attributes that are `nil`.
  func add(_ name: String, index: Int32?, type: String?, address: String?, parent: String?) throws {
    let folder = "\(path)/\(name)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var lines = type.map { ["DEVTYPE=\($0)"] } ?? []
    lines.append("INTERFACE=\(name)")
    if let index { lines.append("IFINDEX=\(index)") }
    try write(lines.joined(separator: "\n") + "\n", to: "\(name)/uevent")
    if let address { try write(address + "\n", to: "\(name)/address") }
    if let parent {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/device", withDestinationPath: "../../../\(parent)")
    }
  }

  /// Writes a file in place of its contents.
  func write(_ text: String, to file: String) throws {
    try text.write(toFile: "\(path)/\(file)", atomically: true, encoding: .utf8)
  }
}
#endif
