#if os(Linux)
import Netlink

/// The kinds found by a ``DeviceCensus``, each kept while its link exists and looks the same.
struct DeviceFindings: Sendable {
  private let census: DeviceCensus?
  private var known: [Int32: (link: LinkMessage, kind: ReachabilityInterface.Kind?)] = [:]

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
    for (link, kind) in zip(links, kinds) where link.isOpen { known[link.index] = (link, kind) }
    return kinds
  }

  /// Returns the kind of a link; `nil` where the message alone decides.
  mutating func kind(of link: LinkMessage) -> ReachabilityInterface.Kind? {
    guard let census, !link.isPartial else { return nil }
    guard link.isOpen else {
      known[link.index] = nil
      return nil
    }
    if let known = known[link.index], known.link.looksLike(link) { return known.kind }
    let kind = census.kinds(of: [link])[0]
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
#endif
