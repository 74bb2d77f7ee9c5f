#if os(Linux)
import Netlink
import Synchronization

/// Finds out what the links are whose messages do not tell: Wi-Fi and most modems look like Ethernet to rtnetlink.
///
/// The kernel's Wi-Fi part is asked first, in the network namespace of the socket; sysfs only about what can't be a
/// radio's. What can't be asked costs the knowledge, and nothing else. Safe to use from any thread.
final class DeviceCensus: Sendable {
  private struct State: ~Copyable {
    var wireless: WirelessClient?
  }

  private let state: Mutex<State>
  private let folder: String

  /// - Parameters:
  ///   - wireless: A socket of generic netlink; without one, sysfs is asked about radios too.
  ///   - folder: Where sysfs lists the network devices.
  init(wireless: (any Transport)?, folder: String = "/sys/class/net") {
    state = Mutex(State(wireless: wireless.map { WirelessClient(over: $0) }))
    self.folder = folder
  }

  /// Returns what each of the links was found to be; `nil` for those of which nothing more is known.
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

  /// How many datagrams came from somebody else than the kernel.
  var foreignDatagrams: Int { state.withLock { $0.wireless?.conversation.foreignDatagrams ?? 0 } }

  /// Returns `nil` if that can't be asked.
  private func radios(among indexes: [Int32]) -> Set<Int32>? {
    guard !indexes.isEmpty else { return [] }
    return state.withLock { state in
      guard state.wireless != nil else { return nil }
      do throws(NetlinkError) {
        return Set(try state.wireless?.interfaceTypes(of: indexes).keys ?? [:].keys)
      } catch {
        // What is refused once is refused for good, and a sandbox that swallows requests would cost seconds each time.
        state.wireless = nil
        return nil
      }
    }
  }
}

/// What was found out of links, for as long as they live and look the same.
struct DeviceFindings: Sendable {
  /// All that the answer may depend on.
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

  /// Returns what a whole table's links were found to be; what was found before counts no more.
  mutating func readAnew(_ links: [LinkMessage]) -> [ReachabilityInterface.Kind?] {
    known = [:]
    guard let census, links.contains(where: \.isOpen) else {
      return Array(repeating: nil, count: links.count)
    }
    let kinds = census.kinds(of: links)
    for (link, kind) in zip(links, kinds) where link.isOpen { known[link.index] = (Look(link), kind) }
    return kinds
  }

  /// Returns what the link was found to be.
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
