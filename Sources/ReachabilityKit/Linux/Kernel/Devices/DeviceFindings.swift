#if os(Linux)
import Netlink

/// The kinds found by a ``DeviceCensus``, each kept while its link exists and looks the same.
struct DeviceFindings: Sendable {
  /// The attributes that the kind may depend on.
  private struct Look: Equatable {
    var name: InterfaceName?
    var hardwareType: HardwareType
    var hardwareAddress: [UInt8]?
    var parentDevice: String?

    init(_ message: LinkMessage) {
      name = message.name
      hardwareType = message.hardwareType
      hardwareAddress = message.hardwareAddress
      parentDevice = message.parentDevice
    }
  }

  private let census: DeviceCensus?
  private var known: [Int32: (look: Look, kind: ReachabilityInterface.Kind?)] = [:]

  init(_ census: DeviceCensus?) {
    self.census = census
  }

  /// Finds the kinds of all links of a table, which replace those found before.
  mutating func readAnew(_ links: [LinkMessage]) -> [ReachabilityInterface.Kind?] {
    known = [:]
    guard let census, links.contains(where: \.isOpen) else {
      return Array(repeating: nil, count: links.count)
    }
    let kinds = census.kinds(of: links)
    for (link, kind) in zip(links, kinds) where link.isOpen { known[link.index] = (Look(link), kind) }
    return kinds
  }

  /// Returns the kind of a link; `nil` where the message alone decides.
  mutating func kind(of link: LinkMessage) -> ReachabilityInterface.Kind? {
    guard let census, !link.isPartial else { return nil }
    guard link.isOpen else {
      known[link.index] = nil
      return nil
    }
    let look = Look(link)
    if let known = known[link.index], known.look == look { return known.kind }
    let kind = census.kinds(of: [link])[0]
    known[link.index] = (look, kind)
    return kind
  }

  mutating func forget(_ index: Int32) {
    known[index] = nil
  }
}

extension LinkMessage {
  fileprivate var isOpen: Bool { mayBeWireless || mayBeModem }
}
#endif
