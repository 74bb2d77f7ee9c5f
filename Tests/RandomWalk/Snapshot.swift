#if os(Linux)
import Foundation
import InternetProtocol
import Reachability

/// The links and their addresses as `ip -json -details addr show` prints them.
struct Snapshot {
  var links: [Link]

  struct Link: Decodable {
    var ifindex: Int
    var ifname: String
    var flags: [String]
    var operstate: String
    var master: String?
    var linkinfo: Info?
    var addresses: [Address]

    struct Info: Decodable {
      var made: String?

      enum CodingKeys: String, CodingKey {
        case made = "info_kind"
      }
    }

    enum CodingKeys: String, CodingKey {
      case ifindex, ifname, flags, operstate, master, linkinfo
      case addresses = "addr_info"
    }
  }

  struct Address: Decodable {
    var local: String?
    /// The far end's address, where it is another.
    var address: String?
    var prefixlen: Int
    var tentative: Bool?
    var dadfailed: Bool?
    var optimistic: Bool?
  }

  init(_ line: String) throws {
    links = try JSONDecoder().decode([Link].self, from: Data(line.utf8))
  }

  func link(named name: String) -> Link? { links.first { $0.ifname == name } }

  func link(_ interface: Target.Interface) -> Link? {
    switch interface {
    case .name(let name): link(named: name)
    case .index(let index): links.first { $0.ifindex == index }
    }
  }

  /// The index of an interface that was asked for, 0 if none was, and `nil` if it is not there.
  func index(_ interface: Target.Interface?) -> UInt32? {
    guard let interface else { return 0 }
    return link(interface).map { UInt32($0.ifindex) }
  }

  /// Whether an address is assigned that a socket can be bound to, over an interface if one is given.
  func isAssigned(_ address: IPAddress, over interface: Target.Interface?) -> Bool {
    let wanted = interface.flatMap(link)
    return links.contains { link in
      (wanted == nil || link.ifindex == wanted?.ifindex || !address.isOfLink)
        && link.addresses.contains { $0.local.flatMap { IPAddress($0[...]) } == address && $0.isChecked }
    }
  }

  /// The links that have an address in whose prefix the destination is.
  func owners(of destination: IPAddress) -> [Link] {
    links.filter { $0.addresses.contains { $0.covers(destination) } }
  }
}

extension Snapshot.Address {
  var isChecked: Bool { dadfailed != true && (tentative != true || optimistic == true) }

  func covers(_ destination: IPAddress) -> Bool {
    guard let own = (address ?? local).flatMap({ IPAddress($0[...]) }), own.family == destination.family
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
  /// What keeps packets from leaving by the link; `nil` if nothing does.
  var trouble: Reason? {
    guard flags.contains("UP") else { return .interfaceDown }
    return switch operstate {
    case "UP": nil
    case "UNKNOWN": flags.contains("LOWER_UP") ? nil : .noCarrier
    case "DORMANT": .linkDormant
    default: .noCarrier
    }
  }

  var isPointToPoint: Bool { flags.contains("POINTOPOINT") }

  /// What carries packets inside of other packets, or hands them to a program.
  var isTunnel: Bool { ["tun", "vxlan"].contains(linkinfo?.made) }

  /// The interface as a status describes it; nothing in the lab but loopback and tunnels is anything but wired.
  var interface: NetworkInterface {
    let kind: NetworkInterface.Kind = flags.contains("LOOPBACK") ? .loopback : isTunnel ? .other : .wired
    return NetworkInterface(
      name: ifname, index: ifindex, kind: kind, isTunnel: isTunnel, linkType: linkinfo?.made)
  }
}
#endif
