// SPDX-License-Identifier: Apache-2.0
import Foundation

@testable import Netlink
@testable import ReachabilityKit

/// A simulated device in sysfs, whose files are rewritten for each input.
private final class Device: Sendable {
  let folder: String
  private let files: [CInt]
  private let switchFiles: [CInt]

  init() {
    folder = "\(NSTemporaryDirectory())/fuzz-\(getpid())"
    let eth0 = folder + "/eth0"
    try? FileManager.default.createDirectory(atPath: eth0, withIntermediateDirectories: true)
    files = ["uevent", "address"].map { unsafe open("\(eth0)/\($0)", O_RDWR | O_CREAT | O_TRUNC, 0o600) }
    let radio = eth0 + "/phy80211/rfkill0"
    try? FileManager.default.createDirectory(atPath: radio, withIntermediateDirectories: true)
    switchFiles = ["soft", "hard"].map { unsafe open("\(radio)/\($0)", O_RDWR | O_CREAT | O_TRUNC, 0o600) }
    unsafe symlink("../../usb1/1-1", "\(eth0)/device")
  }

  /// Writes the device's properties and its address.
  func write(_ texts: [[UInt8]]) { Self.write(texts, to: files) }

  /// Writes the state of the radio's switches, software and hardware.
  func setSwitch(_ texts: [[UInt8]]) { Self.write(texts, to: switchFiles) }

  private static func write(_ texts: [[UInt8]], to files: [CInt]) {
    for (file, text) in zip(files, texts + [[]]) {
      ftruncate(file, 0)
      unsafe pwrite(file, text, text.count, 0)
    }
  }
}

extension Check {
  private static let device = Device()

  private static let link = {
    var link = LinkMessage()
    link.index = 2
    link.name = "eth0"
    link.hardwareAddress = [2, 0, 0, 0, 0, 10]
    link.parentDevice = "1-1"
    return link
  }()

  /// Files of the system.
  static let files = [
    Check("TrafficCounters") { bytes throws(Finding) in
      guard let read = TrafficCounters(bytes) else { return }
      let text = "Tcp: InSegs RetransSegs\nTcp: \(read.received) \(read.retransmitted)\n"
      try expect(TrafficCounters(Array(text.utf8)) == read, "\(text) is not read back")
    },
    Check("ResolverConfiguration") { bytes throws(Finding) in
      let read = ResolverConfiguration(bytes)
      try expect(read.nameServers.count <= 3, "\(read.nameServers.count) name servers")
      try expect((.seconds(1) ... .seconds(30)).contains(read.timeout), "a limit of \(read.timeout)")
      for length in [read.fatalLength, ResolverConfiguration.fatalLength(inVariable: bytes)] {
        try expect((length ?? 256) > 256 - 57, "a search domain of \(length ?? 0) bytes")
      }
      for server in read.nameServers {
        try expect(server.zone == nil || server.address.needsZone, "\(server) needs no zone")
        let text = "nameserver \(server)\n"
        try expect(ResolverConfiguration(text.utf8).nameServers == [server], "\(text) is not read back")
      }
    },
    Check("DeviceRecord") { bytes throws(Finding) in
      let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map { Array($0) }
      device.write(Array(parts.prefix(2)))
      var link = link
      if parts.count > 2 { link.name = InterfaceName(bytes: parts[2]) }
      guard let record = DeviceRecord(of: link, in: device.folder) else { return }
      try expect(link.name == "eth0", "a record of \(link.name?.text.debugDescription ?? "nothing")")
      let lines = parts[0].split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
      let isOurs = lines.contains { $0.contains("IFINDEX=") && $0.hasSuffix("2") }
      try expect(isOurs, "a record of another link")
      guard let type = record.type else { return }
      let end = "DEVTYPE=\(type)".utf8.reversed()
      try expect(lines.contains { $0.utf8.reversed().starts(with: end) }, "a type \(type.debugDescription)")
      try expect(parts.count > 1 && parts[1].starts(with: "02:00:00:00:00:0a".utf8), "a wrong address")
    },
    Check("RadioSwitches") { bytes throws(Finding) in
      let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map { Array($0) }
      device.write(["IFINDEX=2\nDEVTYPE=wlan".utf8.map { $0 }, "02:00:00:00:00:0a".utf8.map { $0 }])
      device.setSwitch(parts)
      let block = RadioSwitches(devices: device.folder, switches: device.folder).block(of: link, .wifi)
      func isOne(_ place: Int) -> Bool { parts.count > place && parts[place].prefix { $0 != 10 } == [0x31] }
      let expected: RadioBlock? = isOne(1) ? .hard : isOne(0) ? .soft : nil
      try expect(block == expected, "\(String(describing: block)) instead of \(String(describing: expected))")
    },
    Check("FileEvents") { bytes throws(Finding) in
      let span = RawSpan(_elements: bytes.span)
      let found = FileWatch.scan(span, before: bytes.count, [1: ["a"], 2: [""]])
      try expect(found.writes <= bytes.count / 16, "\(found.writes) events in \(bytes.count) bytes")
      // A truncated event must not be missed.
      guard bytes.count > 16, let length = try? span.integer(UInt32.self, at: 12, before: bytes.count) else {
        return
      }
      try expect(Int(length) + 16 <= bytes.count || found.isRelevant, "a truncated event is ignored")
    },
  ]
}
