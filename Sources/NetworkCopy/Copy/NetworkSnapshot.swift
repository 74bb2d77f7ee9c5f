// SPDX-License-Identifier: Apache-2.0
import Netlink
import POSIX

/// All that decides where packets of a network go, as the kernel lists it.
package struct NetworkSnapshot: Sendable {
  var links: [KernelObject] = []
  var addresses: [KernelObject] = []
  var nextHops: [KernelObject] = []
  var rules: [KernelObject] = []
  var routes: [KernelObject] = []
  /// Whether nothing changed while a table was listed.
  package private(set) var isStable = true
  /// Whether the kernel looks up the IPv4 table of local addresses by itself, as it does for good once there was a rule
  /// besides the first three (`fib_has_custom_rules`); `nil` if it has no local address to tell by.
  private(set) var separatesLocalTable: Bool?

  /// Lists everything in the network namespace of a socket.
  package init(over transport: any Transport) throws(NetlinkError) {
    var conversation = Conversation(over: transport, bufferSize: 1 << 16)
    links = try list("list links", .getLink, size: 16, of: .unspecified, over: &conversation)
    addresses = try list("list addresses", .getAddress, size: 8, of: .unspecified, over: &conversation)
    // A kernel before 5.3 has no next hops, and one without policy rules has no rules.
    nextHops =
      (try? list("list next hops", .getNextHop, size: 8, of: .unspecified, over: &conversation)) ?? []
    for family in [AddressFamily.ipv4, .ipv6] {
      rules += (try? list("list rules", .getRule, size: 12, of: family, over: &conversation)) ?? []
      routes += try list("list routes", .getRoute, size: 12, of: family, over: &conversation)
    }
    let locals = addresses.filter { $0.fixed[0] == AddressFamily.ipv4.rawValue }.compactMap { $0[2] }
    for address in locals.prefix(4) where separatesLocalTable == nil {
      separatesLocalTable = Self.table(ofLocal: address, over: &conversation).map {
        $0 == KernelObject.localTable
      }
    }
  }

  /// The table in which the kernel finds the route to a local IPv4 address; `nil` if it finds none.
  private static func table(ofLocal address: [UInt8], over conversation: inout Conversation) -> UInt32? {
    // RTM_F_FIB_MATCH and RTM_F_LOOKUP_TABLE: the route itself, and its table.
    var question = KernelObject(fixed: [AddressFamily.ipv4.rawValue, 32, 0, 0, 0, 0, 0, 0, 0, 0x30, 0, 0])
    question[RouteAttribute.destination] = address
    let answer = try? conversation.request("look up a local address", type: .getRoute) { encoder in
      question.encode(into: &encoder)
    } reply: { bytes, answer throws(DecodingError) -> KernelObject?? in
      guard case .message(let message) = answer else { return .some(nil) }
      return try KernelObject(decoding: bytes, in: message.payload, fixed: 12)
    }
    // RTN_LOCAL.
    guard let route = answer.flatMap(\.self), route.fixed[7] == 2 else { return nil }
    return route.table
  }

  /// Lists the links alone.
  static func links(over conversation: inout Conversation) throws(NetlinkError) -> [KernelObject] {
    try list("list links", .getLink, size: 16, of: .unspecified, over: &conversation).objects
  }

  /// `RTPROT_KERNEL`.
  static var kernelProtocol: UInt8 { 2 }

  /// Lists the routes that the kernel has made by itself, without decoding the others.
  static func kernelRoutes(over conversation: inout Conversation) throws(NetlinkError) -> [KernelObject] {
    var routes: [KernelObject] = []
    for family in [AddressFamily.ipv4, .ipv6] {
      routes += try list(
        "list routes", .getRoute, size: 12, of: family, over: &conversation
      ) { bytes, route throws(DecodingError) in
        try bytes.integer(UInt8.self, at: route.lowerBound + 5, before: route.upperBound) == kernelProtocol
      }.objects
    }
    return routes
  }

  /// Lists the IPv6 routes with lifetimes, without decoding the others; those of the kernel's own follow addresses.
  static func routesWithLifetimes(over conversation: inout Conversation) throws(NetlinkError)
    -> [KernelObject]
  {
    try list(
      "list routes", .getRoute, size: 12, of: .ipv6, over: &conversation
    ) { bytes, route throws(DecodingError) in
      let maker = try bytes.integer(UInt8.self, at: route.lowerBound + 5, before: route.upperBound)
      if maker == kernelProtocol { return false }
      var reader = AttributeReader(in: route.lowerBound + 12..<route.upperBound)
      while let next = try reader.next(bytes) {
        guard next.type == RouteAttribute.cacheInfo else { continue }
        // rta_expires.
        return try bytes.integer(Int32.self, at: next.value.lowerBound + 8, before: next.value.upperBound)
          != 0
      }
      return false
    }.objects
  }

  /// Lists the rules alone.
  static func rules(over conversation: inout Conversation) throws(NetlinkError) -> [KernelObject] {
    var rules: [KernelObject] = []
    for family in [AddressFamily.ipv4, .ipv6] {
      rules += (try? list("list rules", .getRule, size: 12, of: family, over: &conversation).objects) ?? []
    }
    return rules
  }

  /// Lists the links on which IPv6 packets are forwarded, by their indexes.
  static func forwardingLinks(over conversation: inout Conversation) throws(NetlinkError) -> Set<Int32> {
    // The family is the fixed part, netconfmsg, with its padding; NETCONFA_FORWARDING, NETCONFA_IFINDEX.
    let settings = try list("list settings", .getNetconf, size: 4, of: .ipv6, over: &conversation).objects
    return Set(settings.filter { $0.number(2) == Int32(1) }.compactMap { $0.number(1) })
  }

  /// Whether a router has advertised a default route: `RTPROT_RA`.
  var hasAdvertisedDefault: Bool {
    routes.contains { $0.fixed[0] == AddressFamily.ipv6.rawValue && $0.fixed[1] == 0 && $0.fixed[5] == 9 }
  }

  /// Lists the addresses alone.
  static func addresses(over conversation: inout Conversation) throws(NetlinkError) -> [KernelObject] {
    try list("list addresses", .getAddress, size: 8, of: .unspecified, over: &conversation).objects
  }

  private mutating func list(
    _ attempt: String, _ type: MessageType, size: Int, of family: AddressFamily,
    over conversation: inout Conversation
  ) throws(NetlinkError) -> [KernelObject] {
    let (objects, isStable) = try Self.list(attempt, type, size: size, of: family, over: &conversation)
    if !isStable { self.isStable = false }
    return objects
  }

  private static func list(
    _ attempt: String, _ type: MessageType, size: Int, of family: AddressFamily,
    over conversation: inout Conversation,
    where isWanted: (RawSpan, Range<Int>) throws(DecodingError) -> Bool = { _, _ in true }
  ) throws(NetlinkError) -> (objects: [KernelObject], isStable: Bool) {
    var objects: [KernelObject] = []
    let isStable = try conversation.dump(attempt, type: type) { encoder in
      encoder.append(family.rawValue)
      encoder.appendZeros(size - 1)
    } restart: {
      objects = []
    } each: { bytes, message throws(DecodingError) in
      guard try isWanted(bytes, message.payload) else { return }
      objects.append(try KernelObject(decoding: bytes, in: message.payload, fixed: size))
    }
    return (objects, isStable)
  }
}

extension NetworkSnapshot {
  /// The same network with other indexes of links.
  func renumbered(_ indexes: [Int32: Int32]) -> NetworkSnapshot {
    if indexes.isEmpty { return self }
    var copy = self
    func replace(in object: KernelObject, at offset: Int?, _ types: [UInt16]) -> KernelObject {
      var object = object
      if let offset, let new = indexes[object.integer(at: offset)] { object.set(new, at: offset) }
      for type in types {
        if let new = object.number(type, as: Int32.self).flatMap({ indexes[$0] }) { object[type] = new.bytes }
      }
      return object
    }
    copy.links = links.map { link in
      // The index of a link in another namespace is another one's.
      let isHere = link[LinkAttribute.lowerNamespace] == nil
      return replace(
        in: link, at: 4, isHere ? [LinkAttribute.lower, LinkAttribute.master] : [LinkAttribute.master])
    }
    copy.addresses = addresses.map { replace(in: $0, at: 4, []) }
    // NHA_OIF.
    copy.nextHops = nextHops.map { replace(in: $0, at: nil, [5]) }
    copy.routes = routes.map { route in
      var route = replace(in: route, at: nil, [RouteAttribute.outputInterface])
      route.changeHops { hops, start in
        if let new = indexes[hops.integer(at: start + 4)] { hops.set(new, at: start + 4) }
      }
      return route
    }
    return copy
  }
}

extension KernelObject {
  /// The name of a link; `nil` if it is no text.
  var linkName: String? {
    self[LinkAttribute.name].flatMap { String(validating: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// The index of a link, or of an address's link.
  var index: Int32 { integer(at: 4) }

  /// The kind of a virtual link, for example `vlan`.
  var linkKind: String? {
    nested(LinkAttribute.info).first { $0.type == LinkAttribute.Info.kind }
      .flatMap { String(validating: $0.value.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

/// The settings below `/proc/sys/net` that decide where packets go.
enum RoutingSettings {
  private static let global = [
    "ipv4/fib_multipath_hash_policy", "ipv4/fib_multipath_hash_fields", "ipv4/fib_multipath_use_neigh",
    "ipv4/ip_nonlocal_bind", "ipv4/tcp_l3mdev_accept", "ipv4/udp_l3mdev_accept",
    "ipv6/fib_multipath_hash_policy",
    "ipv6/fib_multipath_hash_fields", "ipv6/ip_nonlocal_bind", "ipv6/anycast_src_echo_reply",
  ]
  private static let ofLink = [
    "ipv4": [
      "forwarding", "promote_secondaries", "rp_filter", "ignore_routes_with_linkdown", "accept_local",
      "src_valid_mark",
      "route_localnet",
    ],
    "ipv6": [
      "disable_ipv6", "forwarding", "ignore_routes_with_linkdown", "use_tempaddr", "keep_addr_on_down",
      "use_oif_addrs_only",
      "use_optimistic", "optimistic_dad", "accept_dad", "dad_transmits",
    ],
  ]

  /// The settings of the calling thread's network, in the order in which they are to be changed: those that also change others
  /// come first.
  static func current(for links: [String]) -> [(path: String, value: String)] {
    let places =
      ["all", "default"] + links.filter { $0 != "all" && $0 != "default" && !$0.contains("/") && $0 != ".." }
    let paths =
      global
      + places.flatMap { place in
        ["ipv4", "ipv6"].flatMap { family in (ofLink[family] ?? []).map { "\(family)/conf/\(place)/\($0)" } }
      }
    return paths.compactMap { path in
      let path = "/proc/sys/net/" + path
      return SystemFile.line(of: path, upTo: 256).map { (path, $0) }
    }
  }

  /// How a link makes link-local addresses, `addr_gen_mode`; `nil` if it has no IPv6.
  static func addressGeneration(of link: String) -> UInt8? {
    guard !link.contains("/") else { return nil }
    return SystemFile.line(of: "/proc/sys/net/ipv6/conf/\(link)/addr_gen_mode", upTo: 16).flatMap {
      UInt8($0)
    }
  }
}
