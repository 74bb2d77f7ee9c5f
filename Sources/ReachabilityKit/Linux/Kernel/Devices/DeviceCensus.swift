#if os(Linux)
import Netlink
import Synchronization

/// Finds the kinds of links that rtnetlink leaves open: Wi-Fi and most modems look like Ethernet there.
///
/// Wi-Fi is queried by nl80211, in the network namespace of the socket; sysfs is read for the rest. A query that fails
/// leaves the kind open. Safe to use from any thread.
final class DeviceCensus: Sendable {
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
#endif
