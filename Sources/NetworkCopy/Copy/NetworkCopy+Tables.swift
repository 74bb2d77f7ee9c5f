// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import Netlink
import POSIX

extension NetworkCopy {
  /// Adds addresses, which are usable at once.
  mutating func add(addresses: [KernelObject]) {
    let isOfIPv6 = { (address: KernelObject) in address.fixed[0] == AddressFamily.ipv6.rawValue }
    // Of IPv6 addresses the kernel lists the newest one first, and of IPv4 the oldest.
    for address in addresses.filter({ !isOfIPv6($0) }) + addresses.filter(isOfIPv6).reversed() {
      let flags = address.addressFlags
      // IFA_F_DADFAILED: the original does not use it either. Nor one whose lifetime is just over.
      guard flags & 0x8 == 0, address.addressLifetime != .zero else { continue }
      var new = address
      // The kernel alone decides that one is tentative or permanent, IFA_F_TENTATIVE and IFA_F_PERMANENT; IFA_F_NODAD.
      new[8] = (flags & ~(0x40 | 0x80) | 0x2).bytes
      new.set(UInt8(0), at: 2)
      if let error = request(.newAddress, [.create, .replace], with: new) {
        gaps.append(CopyGap(.address, address, because: error))
      }
    }
  }

  mutating func copyTables(of original: NetworkSnapshot) {
    // All that a new namespace has is of the kernel's own.
    guard let ownRules = try? NetworkSnapshot.rules(over: &near),
      let ownRoutes = try? NetworkSnapshot.kernelRoutes(over: &near)
    else { return }
    for family in [AddressFamily.ipv4, .ipv6] {
      let rules = original.rules.filter { $0.fixed[0] == family.rawValue }
      // A namespace without rules of its own has one table less, so equal rules stay.
      if rules.map(\.asNewRule) != ownRules.filter({ $0.fixed[0] == family.rawValue }).map(\.asNewRule) {
        replaceRules(family, rules)
      } else if family == .ipv4, original.separatesLocalTable == true {
        separateLocalTable()
      }
    }
    // Groups need the next hops in them: NHA_GROUP.
    let hops = original.nextHops.filter { $0[2] == nil } + original.nextHops.filter { $0[2] != nil }
    add(hops.map(\.asNewNextHop), as: .nextHop, by: .newNextHop)
    // Those to groups are in the table of local addresses, but the first one for all of them decides.
    for route in ownRoutes.compactMap(\.asNewRoute) where !route.isMadeByKernel {
      guard route.table != KernelObject.localTable || route.fixed[7] == KernelObject.multicast else {
        continue
      }
      _ = request(.deleteRoute, [], with: route)
    }
    let routes = original.routes.compactMap(\.asNewRoute).filter { !$0.isMadeByKernel }
    // A gateway must be reachable by a route that exists; but of routes with one range and metric the first one counts.
    let direct = Set(routes.filter { !$0.hasGateway }.map(\.place))
    let shared = Set(routes.filter(\.hasGateway).map(\.place).filter(direct.contains))
    func isEarly(_ route: KernelObject) -> Bool { !route.hasGateway && !shared.contains(route.place) }
    add(routes.filter(isEarly) + routes.filter { !isEarly($0) }, as: .route, by: .newRoute)
    addGapsOfOrder(among: routes)
  }

  /// Adds a gap where an IPv6 route has several next hops beside other routes of its metric.
  ///
  /// The kernel keeps each next hop as a route, and lists all of them in the place of the first; so the order that counts when
  /// the first one is gone is not known.
  private mutating func addGapsOfOrder(among routes: [KernelObject]) {
    let several = routes.filter {
      $0.fixed[0] == AddressFamily.ipv6.rawValue && $0[RouteAttribute.multipath] != nil
    }
    guard !several.isEmpty else { return }
    let counts = Dictionary(routes.map { ($0.place, 1) }, uniquingKeysWith: +)
    for route in several where counts[route.place, default: 0] > 1 {
      var gap = CopyGap(
        .route, route, because: "the order of its next hops and of others with its metric is not known")
      gap.concernsUnchanged = false
      gaps.append(gap)
    }
  }

  /// Adds a rule and removes it, after which the kernel looks up the table of local addresses by itself.
  private mutating func separateLocalTable() {
    // FR_ACT_TO_TBL: the table main; FRA_PRIORITY.
    var rule = KernelObject(fixed: [AddressFamily.ipv4.rawValue, 0, 0, 0, 254, 0, 0, 1, 0, 0, 0, 0])
    rule[6] = UInt32(32_765).bytes
    _ = request(.newRule, [.create], with: rule)
    _ = request(.deleteRule, [], with: rule)
  }

  private mutating func replaceRules(_ family: AddressFamily, _ rules: [KernelObject]) {
    var any = KernelObject(fixed: Array(repeating: 0, count: 12))
    any.fixed[0] = family.rawValue
    // Each deletion removes the first rule; a new namespace has three at most.
    for _ in 0..<8 where request(.deleteRule, [], with: any) != nil { break }
    for rule in rules {
      let error =
        rule[KernelObject.userRange] == nil
        ? request(.newRule, [.create], with: rule.asNewRule) : addForUsers(rule)
      if let error { gaps.append(CopyGap(.rule, rule, because: error)) }
    }
  }

  /// Adds a rule for a range of users, which only a process of the cell's user namespace may; returns why it was refused.
  private mutating func addForUsers(_ rule: KernelObject) -> String? {
    var new = rule.asNewRule
    guard let range = rule[KernelObject.userRange].map({ KernelObject(fixed: $0) }), range.fixed.count == 8
    else {
      return "its range of users cannot be read"
    }
    let (first, last) = (range.integer(UInt32.self, at: 0), range.integer(UInt32.self, at: 4))
    switch cell.users {
    case .all(let root):
      // The user 0 is another one there, whose number stands apart, and is no other user's.
      let parts = [(first, min(last, 0)), (max(first, 1), min(last, root - 1)), (max(first, root + 1), last)]
      for (first, last) in parts where first <= last {
        new[KernelObject.userRange] = first.bytes + last.bytes
        if let error = request(inside: new) { return error }
      }
      return nil
    case .one(let user):
      var gap = CopyGap(.rule, rule, because: "only the user \(user) has a number in the copy")
      gap.exceptUser = user
      gaps.append(gap)
      guard first <= user, user <= last else { return nil }
      // The only one is 0 there.
      new[KernelObject.userRange] = UInt64(0).bytes
    }
    return request(inside: new)
  }

  /// Adds a rule from inside the cell's user namespace; returns why it was refused.
  private func request(inside rule: KernelObject) -> String? {
    do throws(CellFailure) {
      var encoder = MessageEncoder()
      rule.encode(into: &encoder)
      var payload: [UInt8] = []
      try? encoder.withSpan { bytes in payload = (try? bytes.bytes(in: 0..<bytes.byteCount)) ?? [] }
      return try cell.request(.newRule, flags: [.create], payload: payload)
    } catch {
      return error.text
    }
  }

  /// Adds objects of which some need others: repeats those that were refused while that adds any.
  private mutating func add(_ objects: [KernelObject], as kind: CopyGap.Kind, by type: MessageType) {
    var left = objects
    var areForced = false
    while true {
      var refused: [(object: KernelObject, error: String)] = []
      for start in stride(from: 0, to: left.count, by: Conversation.batchLimit) {
        let part = left[start..<min(start + Conversation.batchLimit, left.count)]
        let result: Result<Void, NetlinkError> = Result { () throws(NetlinkError) in
          try near.batch(
            "add an object", type: type, flags: [.create, .append, .acknowledge], count: part.count
          ) {
            part[start + $0].encode(into: &$1)
          } reply: { place, bytes, message throws(DecodingError) in
            guard case .acknowledgement(let answer) = try Answer(message, of: bytes),
              let error = answer.error,
              error != .exists
            else { return }
            refused.append((part[start + place], error.description + (answer.text.map { " (\($0))" } ?? "")))
          }
        }
        if case .failure(let error) = result { refused += part.map { ($0, error.description) } }
      }
      if refused.isEmpty { return }
      if refused.count < left.count {
        left = refused.map(\.object)
      } else if kind == .route, !areForced {
        // The routes to their gateways were removed since: RTNH_F_ONLINK, which changes nothing for packets.
        areForced = true
        left = refused.map(\.object.onLink)
      } else {
        gaps += refused.map { CopyGap(kind, $0.object, because: $0.error) }
        return
      }
    }
  }

  /// Removes the routes of the kernel's own that the original does not have, and notes those that the copy lacks.
  ///
  /// The others were asked for one by one.
  mutating func compareKernelRoutes(with original: NetworkSnapshot) {
    let expected = original.routes.filter(\.isOfKernel).compactMap(\.asNewRoute)
    guard let present = try? NetworkSnapshot.kernelRoutes(over: &near) else {
      gaps.append(CopyGap(kind: .route, name: "to any destination", reason: "the copy could not be listed"))
      return
    }
    var wanted = Dictionary(grouping: expected.map(\.sorted), by: \.self).mapValues(\.count)
    for route in present.compactMap(\.asNewRoute) {
      if let count = wanted[route.sorted], count > 0 {
        wanted[route.sorted] = count - 1
      } else if let error = request(.deleteRoute, [], with: route) {
        gaps.append(CopyGap(.route, route, because: "only the copy has it: \(error)"))
      }
    }
    let known = Set(gaps.map(\.name))
    for (route, count) in wanted where count > 0 {
      let gap = CopyGap(.route, route, because: "the kernel did not add it")
      if !known.contains(gap.name) { gaps.append(gap) }
    }
  }
}

extension KernelObject {
  static var localTable: UInt32 { 255 }
  /// `RTN_MULTICAST`.
  fileprivate static var multicast: UInt8 { 5 }

  /// `RTA_EXPIRES`.
  fileprivate static var expires: UInt16 { 23 }

  /// The lifetime of an IPv6 route in hundredths of a second, negative if it is over, `rta_expires` of `rta_cacheinfo`; `nil`
  /// without one.
  var routeLifetime: Int32? {
    guard fixed[0] == AddressFamily.ipv6.rawValue, let info = self[RouteAttribute.cacheInfo], info.count >= 12
    else {
      return nil
    }
    let ticks = KernelObject(fixed: info).integer(Int32.self, at: 8)
    return ticks == 0 ? nil : ticks
  }

  /// The remaining lifetime of an address, `ifa_valid` of `ifa_cacheinfo`; `nil` without one.
  var addressLifetime: Duration? {
    guard let info = self[6], info.count >= 8 else { return nil }
    let seconds = KernelObject(fixed: info).integer(UInt32.self, at: 4)
    return seconds == .max ? nil : .seconds(seconds)
  }

  /// The flags of an address, `IFA_F_…`.
  var addressFlags: UInt32 { number(8) ?? UInt32(integer(UInt8.self, at: 2)) }

  /// Whether the kernel has made the route by itself, RTPROT_KERNEL.
  fileprivate var isOfKernel: Bool { fixed[5] == NetworkSnapshot.kernelProtocol }

  var table: UInt32 { number(RouteAttribute.table) ?? UInt32(fixed[4]) }

  /// `FRA_UID_RANGE`.
  static var userRange: UInt16 { 20 }

  /// Whether this is a route that only the kernel can make: of IPv6 with the metric 0, which stands for another one in requests.
  fileprivate var isMadeByKernel: Bool {
    fixed[0] == AddressFamily.ipv6.rawValue && number(RouteAttribute.priority, as: UInt32.self) == 0
  }

  /// The table, the range and the metric of a route.
  fileprivate struct Place: Hashable {
    var family: UInt8
    var length: UInt8
    var table: UInt32
    var destination: [UInt8]?
    var metric: UInt32?
  }

  fileprivate var place: Place {
    Place(
      family: fixed[0], length: fixed[1], table: table, destination: self[RouteAttribute.destination],
      metric: number(RouteAttribute.priority))
  }

  fileprivate var hasGateway: Bool {
    self[RouteAttribute.gateway] != nil || self[RouteAttribute.via] != nil
      || self[RouteAttribute.multipath] != nil
      || self[RouteAttribute.nextHopID] != nil
  }

  /// The route with gateways that need no route.
  fileprivate var onLink: KernelObject {
    var route = self
    route.set(integer(UInt32.self, at: 8) | 0x4, at: 8)
    route.changeHops { $0.fixed[$1 + 2] |= 0x4 }
    return route
  }

  /// The same route with its attributes in the order of their types, and without flags.
  fileprivate var sorted: KernelObject {
    var object = self
    object.set(UInt32(0), at: 8)
    object[KernelObject.expires] = nil
    object.changeHops { $0.fixed[$1 + 2] = 0 }
    object.attributes.sort { $0.type < $1.type }
    return object
  }

  /// The rule as a request adds it, without what the kernel computes: FIB_RULE_INVERT alone is the user's.
  fileprivate var asNewRule: KernelObject {
    var rule = self
    rule.set(integer(UInt32.self, at: 8) & 0x2, at: 8)
    return rule
  }

  /// The next hop as a request adds it, without flags that the kernel computes and the attributes that requests must not have.
  fileprivate var asNewNextHop: KernelObject {
    var hop = self
    // The scope is a finding too.
    hop.fixed[1] = 0
    hop.set(integer(UInt32.self, at: 4) & 0x4, at: 4)
    // NHA_HW_STATS_USED and all that came with it are findings.
    hop.attributes.removeAll { $0.type > 12 }
    return hop
  }

  /// The route as a request adds it; `nil` for what is no entry of a table, such as an exception of a path MTU.
  fileprivate var asNewRoute: KernelObject? {
    // RTM_F_CLONED. One whose lifetime is over is not used either.
    guard integer(UInt32.self, at: 8) & 0x200 == 0, routeLifetime ?? 1 > 0 else { return nil }
    var route = self
    // RTNH_F_ONLINK stays; that a next hop is dead is the kernel's finding.
    route.set(integer(UInt32.self, at: 8) & 0x4, at: 8)
    // In seconds, rounded up.
    if let routeLifetime { route[KernelObject.expires] = UInt32((routeLifetime + 99) / 100).bytes }
    route[RouteAttribute.cacheInfo] = nil
    if route[RouteAttribute.nextHopID] != nil {
      for type in [
        RouteAttribute.outputInterface, RouteAttribute.gateway, RouteAttribute.via, RouteAttribute.multipath,
        RouteAttribute.encapsulation, RouteAttribute.encapsulationType,
      ] { route[type] = nil }
      // That it discards packets, RTN_BLACKHOLE, is a property of the next hop; the route is RTN_UNICAST.
      if route.fixed[7] == 6 { route.fixed[7] = 1 }
    } else {
      route.changeHops { $0.fixed[$1 + 2] &= 0x4 }
    }
    return route
  }

  /// Changes the next hops of a route, if it has several.
  ///
  /// - Parameter change: Receives the next hops and the place of each, where `rtnexthop` begins: length, flags, weight and index.
  mutating func changeHops(_ change: (inout KernelObject, _ start: Int) -> Void) {
    guard let value = self[RouteAttribute.multipath] else { return }
    var hops = KernelObject(fixed: value)
    var start = 0
    while start + 8 <= value.count {
      let length = Int(hops.integer(UInt16.self, at: start))
      guard length >= 8 else { break }
      change(&hops, start)
      start += (length + 3) & ~3
    }
    self[RouteAttribute.multipath] = hops.fixed
  }
}
