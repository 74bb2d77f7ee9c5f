// SPDX-License-Identifier: Apache-2.0
import Netlink
import POSIX

/// How links are made anew.
enum LinkPlan {
  static var loopback: Int32 { 1 }
  /// `IFF_UP`, `IFF_NOARP`, `IFF_LOWER_UP`.
  static var up: UInt32 { 0x1 }
  static var withoutAddresses: UInt32 { 0x80 }
  static var lowerUp: UInt32 { 0x10000 }

  /// The kinds that are made as themselves, and the attributes of each that say how.
  ///
  /// The others do not depend on other links, or cannot be made without a device.
  static let kinds: [String: Set<UInt16>] = [
    // Their dumps have the form of requests.
    "vlan": all, "vrf": all, "dummy": all, "ifb": all, "gre": all, "gretap": all, "ip6gre": all,
    "ip6gretap": all,
    "ipip": all, "sit": all, "ip6tnl": all, "vti": all, "vti6": all, "ipvlan": all,
    // IFLA_MACVLAN_MODE and FLAGS; IFLA_BOND_MODE, MIIMON, UPDELAY, DOWNDELAY: the active port does not belong to it yet.
    "macvlan": [1, 2], "bond": [1, 3, 4, 5],
    // IFLA_VXLAN_ID, GROUP, LINK, LOCAL, TTL, TOS, PORT, GROUP6, LOCAL6 and COLLECT_METADATA.
    "vxlan": [1, 2, 3, 4, 5, 6, 15, 16, 17, 25],
    // Without the spanning tree, for which a port would wait.
    "bridge": [],
  ]
  private static let all = Set<UInt16>(0..<64)

  /// New indexes for links that a new namespace has by itself, and for those whose indexes such links have.
  static func indexes(of links: [KernelObject], besides present: [KernelObject]) -> [Int32: Int32] {
    var indexes: [Int32: Int32] = [:]
    for link in links where link.index != loopback {
      let same = present.first {
        $0.linkName == link.linkName && $0.linkKind == link.linkKind && $0.linkKind != nil
      }
      if let same {
        indexes[link.index] = same.index
      } else if present.contains(where: { $0.index == link.index }) {
        indexes[link.index] = link.index &+ 500_000
      }
    }
    return indexes.filter { $0 != $1 }
  }

  /// The links but the loopback one, each behind the one below it.
  static func order(_ links: [KernelObject]) -> [KernelObject] {
    var (known, ordered, left) = (Set<Int32>(), [KernelObject](), links.filter { $0.index != loopback })
    let all = Set(links.map(\.index))
    while !left.isEmpty {
      let next = left.filter { link in
        guard let lower = lower(of: link), all.contains(lower), lower != link.index else { return true }
        return known.contains(lower)
      }
      // A circle cannot be; without progress the rest keeps its order.
      let step = next.isEmpty ? left : next
      let indexes = Set(step.map(\.index))
      ordered += step
      known.formUnion(indexes)
      left.removeAll { indexes.contains($0.index) }
    }
    return ordered
  }

  /// The link below in the same namespace.
  static func lower(of link: KernelObject) -> Int32? {
    // The other end of a pair is none.
    guard let kind = link.linkKind, !["veth", "netkit", "vxcan"].contains(kind),
      link[LinkAttribute.lowerNamespace] == nil,
      let lower: UInt32 = link.number(LinkAttribute.lower), lower > 0
    else { return nil }
    return Int32(bitPattern: lower)
  }

  /// The other end of a virtual cable, if it is in the same namespace.
  static func otherEnd(of link: KernelObject, among links: [KernelObject]) -> KernelObject? {
    guard link.linkKind == "veth", link[LinkAttribute.lowerNamespace] == nil,
      let index: UInt32 = link.number(LinkAttribute.lower),
      let other = links.first(where: { $0.index == Int32(bitPattern: index) }), other.linkKind == "veth",
      other[LinkAttribute.lowerNamespace] == nil,
      other.number(LinkAttribute.lower) == UInt32(bitPattern: link.index)
    else { return nil }
    return other
  }

  /// One end of a virtual cable with the name, index, address and MTU of a link.
  static func cable(for link: KernelObject) -> KernelObject {
    let flags = link.integer(UInt32.self, at: 8) & withoutAddresses
    var cable = request(link.index, flags: flags, change: withoutAddresses)
    cable.copy([LinkAttribute.name, LinkAttribute.mtu, LinkAttribute.group], from: link)
    if let address = link[LinkAttribute.hardwareAddress], address.count == 6,
      address.contains(where: { $0 != 0 })
    {
      cable.copy([LinkAttribute.hardwareAddress], from: link)
    }
    return cable
  }

  static func isCable(_ link: KernelObject) -> Bool { link.linkKind.map { kinds[$0] == nil } ?? true }

  static func request(_ index: Int32, flags: UInt32 = 0, change: UInt32 = 0) -> KernelObject {
    var request = KernelObject(fixed: Array(repeating: 0, count: 16))
    request.set(index, at: 4)
    request.set(flags, at: 8)
    request.set(change, at: 12)
    return request
  }
}

extension NetworkCopy {
  /// Renames the links that a new namespace has, such as those of tunnel modules, where another one needs the name.
  mutating func makeRoom(for links: [KernelObject], among present: [KernelObject]) {
    for link in present
    where links.contains(where: { $0.linkName == link.linkName && $0.index != link.index }) {
      var change = LinkPlan.request(link.index)
      change[LinkAttribute.name] = Array("own\(link.index)".utf8) + [0]
      _ = request(.newLink, [], with: change)
    }
  }

  /// Adds a link with the name, index, address and MTU of the original.
  mutating func add(_ link: KernelObject, of links: [KernelObject]) {
    if !LinkPlan.isCable(link), let kind = link.linkKind {
      if addItself(link, kind) { return prepare(link) }
      standIns.insert(link.index)
    }
    if let lower = LinkPlan.lower(of: link), links.contains(where: { $0.index == lower }) {
      assume(link, among: links, "its copy does not follow the link below it", isLasting: true)
    }
    let other = LinkPlan.otherEnd(of: link, among: links)
    // The pair exists since the other one was added.
    if let other, other.index < link.index { return prepare(link) }
    if other == nil, link.integer(UInt32.self, at: 8) & LinkPlan.up == 0 {
      assume(link, among: links, CopyGap.unknownCarrier)
    }
    let cable = LinkPlan.cable(for: link)
    let namespace = cell.farNamespace.rawValue
    let error = request(.newLink, [.create, .exclusive]) { encoder in
      cable.encode(into: &encoder)
      encoder.nest(LinkAttribute.info) { encoder in
        encoder.attribute(LinkAttribute.Info.kind, text: "veth")
        encoder.nest(LinkAttribute.Info.data) { encoder in
          // VETH_INFO_PEER: another ifinfomsg with attributes. With equal indexes the kernel would take a second to announce
          // a changed carrier.
          encoder.nest(1) { encoder in
            if let end = other.map(LinkPlan.cable(for:)) {
              end.encode(into: &encoder)
            } else {
              LinkPlan.request(link.index &+ 1_000_000).encode(into: &encoder)
              encoder.attribute(LinkAttribute.namespaceDescriptor, integer: namespace)
            }
          }
        }
      }
    }
    if let error {
      gaps.append(CopyGap(.link, link, because: error))
    } else {
      prepare(link)
    }
  }

  /// Notes what is not known of a link, which concerns all links that are made of it.
  private mutating func assume(
    _ link: KernelObject, among links: [KernelObject], _ reason: String, isLasting: Bool = false
  ) {
    var gap = CopyGap(.link, link, because: reason)
    var concerned: Set<Int32> = [link.index]
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for other in links
      where concerned.contains(other.index) || LinkPlan.lower(of: other).map(concerned.contains) == true {
        if concerned.insert(other.index).inserted { isGrowing = true }
        if let master: UInt32 = other.number(LinkAttribute.master),
          concerned.insert(Int32(bitPattern: master)).inserted
        {
          isGrowing = true
        }
      }
    }
    gap.concernsUnchanged = isLasting
    gap.links = Set(links.filter { concerned.contains($0.index) }.compactMap(\.linkName))
    gaps.append(gap)
  }

  /// Whether an attribute is better left out: a bond accepts no delays without a watch for carriers, not even those of zero.
  private static func isDefault(_ attribute: KernelObject.Attribute, of kind: String) -> Bool {
    kind == "bond" && attribute.value.allSatisfy { $0 == 0 }
  }

  /// The value of an attribute as a request has it.
  private static func asRequested(_ attribute: KernelObject.Attribute, of kind: String) -> [UInt8] {
    // IFLA_VLAN_FLAGS: the flags, and which of them change. The kernel lists all bits, and accepts only those that it knows; one is
    // set by default, VLAN_FLAG_REORDER_HDR.
    guard kind == "vlan", attribute.type == 2, attribute.value.count == 8 else { return attribute.value }
    let flags = KernelObject(fixed: attribute.value).integer(UInt32.self, at: 0)
    return flags.bytes + (flags | 1).bytes
  }

  /// Adds a link of its own kind; returns whether the kernel did.
  private mutating func addItself(_ link: KernelObject, _ kind: String) -> Bool {
    let flags = link.integer(UInt32.self, at: 8) & LinkPlan.withoutAddresses
    var new = LinkPlan.request(link.index, flags: flags, change: LinkPlan.withoutAddresses)
    new.copy([LinkAttribute.name, LinkAttribute.mtu, LinkAttribute.group], from: link)
    // A VLAN has its link's address unless another one is set; a bridge without ports has none.
    if link[LinkAttribute.hardwareAddress]?.contains(where: { $0 != 0 }) == true {
      new.copy([LinkAttribute.hardwareAddress], from: link)
    }
    if let lower = LinkPlan.lower(of: link) { new[LinkAttribute.lower] = lower.bytes }
    let wanted = LinkPlan.kinds[kind] ?? []
    let data =
      link.nested(LinkAttribute.info).first { $0.type == LinkAttribute.Info.data }.map { $0.attributes } ?? []
    let refusal = request(.newLink, [.create, .exclusive]) { encoder in
      new.encode(into: &encoder)
      encoder.nest(LinkAttribute.info) { encoder in
        encoder.attribute(LinkAttribute.Info.kind, text: kind)
        encoder.nest(LinkAttribute.Info.data) { encoder in
          for attribute in data where wanted.contains(attribute.type) && !Self.isDefault(attribute, of: kind)
          {
            encoder.attribute(attribute.typeAndFlags, bytes: Self.asRequested(attribute, of: kind))
          }
        }
      }
    }
    return refusal == nil
  }

  /// Keeps a new link from making addresses of its own, since its original's are copied; and gives it its other names.
  mutating func prepare(_ link: KernelObject) {
    setAddressGeneration(1, of: link.index)
    let names = link.nested(LinkAttribute.properties).filter { $0.type == LinkAttribute.alternativeName }
    guard !names.isEmpty else { return }
    let new = LinkPlan.request(link.index)
    _ = request(.newLinkProperty, [.create, .exclusive]) { encoder in
      new.encode(into: &encoder)
      encoder.nest(LinkAttribute.properties) { encoder in
        for name in names { encoder.attribute(name.typeAndFlags, bytes: name.value) }
      }
    }
  }

  mutating func restoreAddressGeneration(of link: KernelObject) {
    guard let name = link.linkName, let mode = RoutingSettings.addressGeneration(of: name), mode != 1 else {
      return
    }
    // A mode that needs a secret is refused; then a link that comes up again has no link-local address.
    setAddressGeneration(mode, of: link.index)
  }

  /// Sets `IFLA_INET6_ADDR_GEN_MODE`; refused where there is no IPv6.
  private mutating func setAddressGeneration(_ mode: UInt8, of index: Int32) {
    let change = LinkPlan.request(index)
    _ = request(.newLink, []) { encoder in
      change.encode(into: &encoder)
      encoder.nest(LinkAttribute.familySpecific) { encoder in
        encoder.nest(UInt16(AddressFamily.ipv6.rawValue)) { encoder in
          encoder.attribute(8, integer: mode)
        }
      }
    }
  }

  /// Makes a link a part of its bridge, bond or VRF.
  mutating func join(_ link: KernelObject) {
    guard let master = link[LinkAttribute.master] else { return }
    var change = LinkPlan.request(link.index)
    change[LinkAttribute.master] = master
    if let error = request(.newLink, [], with: change) {
      gaps.append(CopyGap(.link, link, because: "it could not join another one: \(error)"))
    }
  }

  /// Switches links and carriers on where those of the originals are, the lower ones first.
  mutating func turnUp(_ links: [KernelObject]) {
    var left = links.filter { $0.integer(UInt32.self, at: 8) & LinkPlan.up != 0 }
    // The carriers first: a link that comes up with a carrier carries packets at once.
    for link in links where LinkPlan.isCable(link) || standIns.contains(link.index) {
      let flags = link.integer(UInt32.self, at: 8)
      // One that is down would perhaps have a carrier.
      guard !ready.contains(link.index), flags & LinkPlan.up == 0 || flags & LinkPlan.lowerUp != 0,
        LinkPlan.otherEnd(of: link, among: links) == nil
      else { continue }
      let change = LinkPlan.request(link.index &+ 1_000_000, flags: LinkPlan.up, change: LinkPlan.up)
      if let error = requestFar(.newLink, with: change) {
        gaps.append(CopyGap(.link, link, because: "its carrier could not be switched on: \(error)"))
      }
    }
    var failures: [(link: KernelObject, error: String)] = []
    repeat {
      failures = []
      for link in left {
        let change = LinkPlan.request(link.index, flags: LinkPlan.up, change: LinkPlan.up)
        if let error = request(.newLink, [], with: change) { failures.append((link, error)) }
      }
      if failures.count == left.count { break }
      left = failures.map(\.link)
    } while !left.isEmpty
    gaps += failures.map { CopyGap(.link, $0.link, because: "it could not be switched on: \($0.error)") }
    for link in links { setMode(of: link, among: links) }
  }

  /// Makes a link dormant whose original waits for a login, or lets its state be set by programs as that of its original.
  private mutating func setMode(of link: KernelObject, among links: [KernelObject]) {
    // IFLA_LINKMODE, IF_LINK_MODE_DEFAULT.
    guard let mode = link[17], mode != [0] else { return }
    if link.integer(UInt32.self, at: 8) & LinkPlan.up == 0 {
      assume(link, among: links, "whether it is dormant is known only when it is up")
    }
    var change = LinkPlan.request(link.index)
    change[17] = mode
    change[LinkAttribute.operationalState] = link[LinkAttribute.operationalState]
    if let error = request(.newLink, [], with: change) {
      gaps.append(CopyGap(.link, link, because: "its mode could not be set: \(error)"))
    }
  }

  /// Waits until the kernel has given the links the states of their originals, which it does beside.
  mutating func awaitStates(of links: [KernelObject]) {
    let originals = Dictionary(links.map { ($0.index, $0) }, uniquingKeysWith: { first, _ in first })
    let names = links.compactMap(\.linkName)
    let deadline = Moment.now.advanced(by: .milliseconds(1500))
    while true {
      cell.synchronizeLinks(names)
      guard let present = try? NetworkSnapshot.links(over: &near) else { return }
      let others = present.filter { originals[$0.index]?.isMatched(by: $0) == false }
      guard !others.isEmpty else { return }
      guard Moment.now < deadline else {
        for link in others {
          assume(link, among: links, "its state is another one than that of the original", isLasting: true)
        }
        return
      }
      Cell.pause(milliseconds: 5)
    }
  }
}

extension KernelObject {
  /// Whether a link is up, whether it has a carrier, and its operational state.
  fileprivate var state: [UInt8] {
    let flags = integer(UInt32.self, at: 8)
    let isUp = flags & LinkPlan.up != 0
    return [
      isUp ? 1 : 0, flags & LinkPlan.lowerUp != 0 ? 1 : 0, self[LinkAttribute.operationalState]?.first ?? 0,
    ]
  }

  /// Whether packets leave by a copy as by this original.
  ///
  /// The operational state follows the carrier up to a second later, and some links do not know it: IF_OPER_UNKNOWN stands for
  /// IF_OPER_UP, but not with a bridge, which has no ports then. The state of a link that is down does not matter.
  fileprivate func isMatched(by copy: KernelObject) -> Bool {
    let (own, other) = (state, copy.state)
    if own[0] == 0 && other[0] == 0 { return true }
    guard own[..<2] == other[..<2] else { return false }
    if own[1] == 0 || own[2] == other[2] { return true }
    return linkKind != "bridge" && [0, 6].contains(own[2]) && [0, 6].contains(other[2])
  }

  fileprivate mutating func copy(_ types: [UInt16], from other: KernelObject) {
    for type in types { self[type] = other[type] }
  }
}
