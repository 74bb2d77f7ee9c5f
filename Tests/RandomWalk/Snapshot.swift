// SPDX-License-Identifier: Apache-2.0
import Foundation
import InternetProtocol
import ReachabilityKit

/// The links and their addresses as `ip -json -details addr show` prints them.
struct Snapshot {
  var links: [Link]

  struct Link: Decodable {
    var ifindex: Int
    var ifname: String
    var flags: [String]
    var operstate: String
    var master: String?
    /// The hardware address.
    var address: String?
    var altnames: [String]?
    var linkinfo: Info?
    var addresses: [Address]
    var mtu: Int
    /// Whether the link has ports.
    var hasPorts = false
    /// Whether `disable_ipv6` is set.
    var isIPv6Disabled = false

    struct Info: Decodable {
      var made: String?

      enum CodingKeys: String, CodingKey {
        case made = "info_kind"
      }
    }

    enum CodingKeys: String, CodingKey {
      case ifindex, ifname, flags, operstate, master, address, altnames, linkinfo, mtu
      case addresses = "addr_info"
    }
  }

  struct Address: Decodable {
    var local: String?
    /// The far end's address, if it differs.
    var address: String?
    var prefixlen: Int
    var tentative: Bool?
    var dadfailed: Bool?
    var optimistic: Bool?
  }

  /// Reads a list of links; `ip` does not print whether IPv6 is disabled, so that the calling thread's network is read.
  init(_ line: String) throws {
    links = try JSONDecoder().decode([Link].self, from: Data(line.utf8))
    for (position, link) in links.enumerated() {
      links[position].hasPorts = links.contains { $0.master == link.ifname }
      let setting = try? String(
        contentsOfFile: "/proc/sys/net/ipv6/conf/\(link.ifname)/disable_ipv6", encoding: .utf8)
      links[position].isIPv6Disabled = setting?.hasPrefix("1") == true
    }
  }

  /// Returns the link with a primary or alternative name.
  func link(named name: String) -> Link? {
    links.first { $0.ifname == name } ?? links.first { $0.altnames?.contains(name) == true }
  }

  func link(_ interface: ReachabilityTarget.Interface) -> Link? {
    switch interface {
    case .name(let name): link(named: name)
    case .bytes: nil
    case .index(let index): links.first { $0.ifindex == index }
    }
  }

  /// Returns the index of a given interface, 0 for none, and `nil` if it is missing.
  func index(_ interface: ReachabilityTarget.Interface?) -> UInt32? {
    guard let interface else { return 0 }
    return link(interface).map { UInt32($0.ifindex) }
  }

  /// Whether an assigned address can be bound, over an interface if one is given.
  func isAssigned(_ address: ReachabilityAddress, over interface: ReachabilityTarget.Interface?) -> Bool {
    let wanted = interface.flatMap(link)
    return links.contains { link in
      (wanted == nil || link.ifindex == wanted?.ifindex || !address.isOfLink)
        && link.addresses.contains {
          $0.local.flatMap { ReachabilityAddress($0[...]) } == address && $0.isChecked
        }
    }
  }

  /// Whether all packets over a link arrive at an observed place, if the link and the far end are up.
  func isObserved(_ link: Link) -> Bool {
    switch link.linkinfo?.made {
    case "veth", "vlan", "tun": true
    // Without ARP, packets carry the link's address as their destination, and these links would keep them.
    case "macvlan" where link.flags.contains("NOARP"), "bridge" where link.flags.contains("NOARP"): false
    case "macvlan": true
    case "bridge":
      links.contains { $0.master == link.ifname }
        && links.allSatisfy { $0.master != link.ifname || $0.linkinfo?.made == "veth" }
    default: false
    }
  }

  /// Returns the links that have an address whose prefix contains the destination.
  func owners(of destination: ReachabilityAddress) -> [Link] {
    links.filter { $0.addresses.contains { $0.covers(destination) } }
  }
}

extension Snapshot.Address {
  var isChecked: Bool { dadfailed != true && (tentative != true || optimistic == true) }

  func covers(_ destination: ReachabilityAddress) -> Bool {
    guard let own = (address ?? local).flatMap({ ReachabilityAddress($0[...]) }),
      own.family == destination.family
    else {
      return false
    }
    let bits = zip(own.octets, destination.octets).map { $0 ^ $1 }
    for (position, difference) in bits.enumerated() {
      let length = min(max(prefixlen - 8 * position, 0), 8)
      if difference >> (8 - length) != 0, length > 0 { return false }
    }
    return true
  }
}

extension Snapshot.Link {
  /// The reason that keeps packets from leaving by the link, or `nil`.
  var trouble: ReachabilityStatus.Reason? {
    guard flags.contains("UP") else { return .interfaceDown }
    // A bridge that never had a port does not report its missing carrier.
    if linkinfo?.made == "bridge", !hasPorts { return .noCarrier }
    return switch operstate {
    case "UP", "UNKNOWN": flags.contains("LOWER_UP") ? nil : .noCarrier
    case "DORMANT": .linkDormant
    default: .noCarrier
    }
  }

  /// The reason that keeps packets to an address from leaving by the link, or `nil`.
  func trouble(
    to destination: ReachabilityAddress, via router: ReachabilityAddress?
  ) -> ReachabilityStatus.Reason? {
    let isIPv6 = destination.family == .v6
    let needsNoNeighbours = isPointToPoint || flags.contains("NOARP")
    let discards =
      (isIPv6 || router?.family == .v6) && (mtu < 1280 || isIPv6Disabled && (isIPv6 || !needsNoNeighbours))
    return trouble ?? (discards ? .blackhole : nil)
  }

  /// The octets of the hardware address; a tunnel has none.
  var octets: [UInt8] {
    isTun ? [] : (address ?? "").split(separator: ":").compactMap { UInt8($0, radix: 16) }
  }

  private var isTun: Bool { linkinfo?.made == "tun" }

  var isLoopback: Bool { flags.contains("LOOPBACK") }

  /// Whether packets carry the hardware address of a neighbour.
  var hasNeighbours: Bool { !isTun && !flags.contains("NOARP") && !isLoopback }

  var isPointToPoint: Bool { flags.contains("POINTOPOINT") }

  /// Whether the link encapsulates packets, or passes them to a program.
  var isTunnel: Bool { ["tun", "vxlan"].contains(linkinfo?.made) }

  /// The interface in a status; all links of the lab but loopback and tunnels are wired.
  var interface: ReachabilityInterface {
    let kind: ReachabilityInterface.Kind = isLoopback ? .loopback : isTunnel ? .other : .wired
    return ReachabilityInterface(
      name: ifname, index: ifindex, kind: kind, isTunnel: isTunnel, linkType: linkinfo?.made)
  }
}
