// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink
import POSIX
import Synchronization

/// Finds the kinds of links that rtnetlink leaves open: Wi-Fi and most modems look like Ethernet there.
///
/// Wi-Fi is queried by nl80211, in the network namespace of the socket; sysfs is read for the rest. A query that fails
/// leaves the kind open. Safe to use from any thread.
final class LinkClassifier: Sendable {
  private let wireless: Mutex<WirelessClient?>
  private let folder: String

  /// - Parameters:
  ///   - wireless: A socket of generic netlink; without one, sysfs is read for Wi-Fi too.
  ///   - folder: The sysfs folder of network devices.
  init(wireless: (any Transport)?, folder: String = "/sys/class/net") {
    self.wireless = Mutex(wireless.map { WirelessClient(over: $0) })
    self.folder = folder
  }

  /// Returns the kinds of links, in their order; `nil` where the message alone decides.
  func kinds(of links: [LinkMessage]) -> [ReachabilityInterface.Kind?] {
    let radios = radios(among: links.filter(\.mayBeWireless).map(\.index))
    return links.map { link in
      if let radios, radios.contains(link.index), link.mayBeWireless { return .wifi }
      guard link.mayBeModem || (radios == nil && link.mayBeWireless) else { return nil }
      return switch DeviceRecord(of: link, in: folder)?.type {
      case "wlan": .wifi
      case "wwan": .cellular
      case "bluetooth": .bluetooth
      default: nil
      }
    }
  }

  /// The number of datagrams that did not come from the kernel.
  var foreignDatagrams: Int { wireless.withLock { $0?.conversation.foreignDatagrams ?? 0 } }

  /// Returns `nil` if nl80211 can't be queried.
  private func radios(among indexes: [Int32]) -> Set<Int32>? {
    guard !indexes.isEmpty else { return [] }
    return wireless.withLock { wireless in
      do throws(NetlinkError) {
        return try wireless?.interfaceTypes(of: indexes).keys.reduce(into: []) { $0.insert($1) }
      } catch {
        // A refusal is permanent, and a sandbox that drops requests would cost seconds each time.
        wireless = nil
        return nil
      }
    }
  }
}

/// The kinds found by a ``LinkClassifier``, each kept while its link exists and looks the same.
struct LinkClassification: Sendable {
  private let classifier: LinkClassifier?
  private var known: [Int32: (link: LinkMessage, kind: ReachabilityInterface.Kind?)] = [:]

  /// The links that virtual cables stand for, by their indexes; none in a network that is no copy.
  private var originals: [Int32: LinkMessage] = [:]

  init(_ classifier: LinkClassifier?) {
    self.classifier = classifier
  }

  mutating func setOriginals(_ links: [LinkMessage]) {
    originals = Dictionary(links.map { ($0.index, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func describeOriginals(_ links: inout [LinkMessage]) {
    if originals.isEmpty { return }
    for place in links.indices { describeOriginal(of: &links[place]) }
  }

  /// Gives a virtual cable the character of the link that it stands for; its state stays its own.
  func describeOriginal(of link: inout LinkMessage) {
    guard !originals.isEmpty, link.kind == "veth", let original = originals[link.index],
      original.name == link.name
    else { return }
    link.kind = original.kind
    link.kindData = original.kindData
    link.hardwareType = original.hardwareType
    link.hardwareAddress = original.hardwareAddress
    link.parentDevice = original.parentDevice
    link.parentBus = original.parentBus
    link.lower = original.lower
    link.lowerNamespace = original.lowerNamespace
    if original.flags.contains(.pointToPoint) { link.flags.insert(.pointToPoint) }
  }

  /// Finds the kinds of all links of a table, which replace those found before.
  mutating func readAnew(_ links: [LinkMessage]) -> [ReachabilityInterface.Kind?] {
    known = [:]
    guard let classifier, links.contains(where: \.isOpen) else {
      return Array(repeating: nil, count: links.count)
    }
    let kinds = classifier.kinds(of: links)
    for (link, kind) in zip(links, kinds) where link.isOpen { known[link.index] = (link, kind) }
    return kinds
  }

  /// Returns the kind of a link; `nil` where the message alone decides.
  mutating func kind(of link: LinkMessage) -> ReachabilityInterface.Kind? {
    guard let classifier, !link.isPartial else { return nil }
    guard link.isOpen else {
      known[link.index] = nil
      return nil
    }
    if let known = known[link.index], known.link.looksLike(link) { return known.kind }
    let kind = classifier.kinds(of: [link])[0]
    known[link.index] = (link, kind)
    return kind
  }

  mutating func forget(_ index: Int32) {
    known[index] = nil
  }
}

extension LinkMessage {
  fileprivate var isOpen: Bool { mayBeWireless || mayBeModem }

  /// Whether the attributes are equal that the kind may depend on.
  fileprivate func looksLike(_ other: LinkMessage) -> Bool {
    name == other.name && hardwareType == other.hardwareType && hardwareAddress == other.hardwareAddress
      && parentDevice == other.parentDevice
  }
}

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
