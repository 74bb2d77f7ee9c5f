// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import LiveSupport
import Netlink
import NetlinkSupport
import POSIX

/// One long-lived socket that changes a network.
struct Kernel: ~Copyable {
  private var conversation: Conversation
  /// The socket for requests without an acknowledgement.
  private let oneWay: KernelTransport
  private(set) var changes = 0
  /// The number of changes that the kernel refused, for example the removal of a missing route.
  private(set) var refusals = 0

  init(in network: NetworkNamespace) throws {
    let sockets = try network.run { (try KernelTransport(.route), try KernelTransport(.route)) }
    conversation = Conversation(over: sockets.0)
    oneWay = sockets.1
  }

  /// Makes one change and returns when it is complete.
  ///
  /// - Returns: Whether the kernel accepted it.
  @discardableResult
  mutating func change(
    _ type: MessageType, _ flags: MessageFlags = [], _ encode: (inout MessageEncoder) -> Void
  ) throws -> Bool {
    do {
      try conversation.acknowledged("change the network", type: type, flags: flags, encode: encode)
      changes += 1
      return true
    } catch  where error.code == .refused {
      refusals += 1
      return false
    }
  }
}

extension Kernel {
  /// Adds and removes routes, a thousand changes in each datagram: faster than any listener can read.
  mutating func flood(_ routes: [RouteMessage]) throws {
    for start in stride(from: 0, to: routes.count, by: 500) {
      var encoder = MessageEncoder()
      for route in routes[start..<min(start + 500, routes.count)] {
        encoder.beginMessage(type: .newRoute, flags: [.request, .create, .replace], sequence: 1)
        route.encode(into: &encoder)
        encoder.endMessage()
        encoder.beginMessage(type: .deleteRoute, flags: .request, sequence: 1)
        route.encode(into: &encoder)
        encoder.endMessage()
      }
      try encoder.withSpan { bytes throws(Errno) in try oneWay.send(bytes) }
      changes += 1000
    }
  }

  mutating func setLink(_ index: Int32, up isUp: Bool) throws {
    var link = LinkMessage()
    link.index = index
    link.flags = isUp ? .up : []
    link.changeMask = LinkFlags.up.rawValue
    try change(.newLink) { link.encode(into: &$0) }
  }

  mutating func setLink(_ index: Int32, mtu: UInt32) throws {
    var link = LinkMessage()
    link.index = index
    link.mtu = mtu
    try change(.newLink) { link.encode(into: &$0) }
  }

  mutating func setLink(_ name: String, master: Int32) throws {
    var link = LinkMessage()
    link.name = InterfaceName(name)
    link.master = master
    try change(.newLink) { link.encode(into: &$0) }
  }

  mutating func addLink(_ name: String, _ kind: String, index: Int32 = 0) throws {
    var link = LinkMessage()
    (link.name, link.kind, link.index) = (InterfaceName(name), kind, index)
    link.flags = .up
    link.changeMask = LinkFlags.up.rawValue
    try change(.newLink, .create) { link.encode(into: &$0) }
  }

  mutating func removeLink(_ name: String) throws {
    var link = LinkMessage()
    link.name = InterfaceName(name)
    try change(.deleteLink) { link.encode(into: &$0) }
  }

  mutating func setAddress(_ address: ReachabilityAddress, _ length: UInt8, on index: Int32, isThere: Bool)
    throws
  {
    let message = AddressMessage(address, Int(length), isThere ? .unchecked : [], on: index)
    try change(isThere ? .newAddress : .deleteAddress, isThere ? .create : []) { message.encode(into: &$0) }
  }

  mutating func addRoute(_ route: RouteMessage) throws -> Bool {
    var lasting = route
    lasting.expires = 0
    return try change(.newRoute, [.create, .replace]) {
      lasting.encode(into: &$0)
      // RTA_EXPIRES, in seconds.
      if route.expires > 0 { $0.attribute(23, integer: UInt32(route.expires / 100)) }
    }
  }

  mutating func removeRoute(_ route: RouteMessage) throws {
    var route = route
    // RT_SCOPE_NOWHERE: matches any scope.
    if route.family == .ipv4 { route.scope = 255 }
    route.expires = 0
    try change(.deleteRoute) { route.encode(into: &$0) }
  }

  mutating func setRule(_ rule: Rule, isThere: Bool) throws {
    try change(isThere ? .newRule : .deleteRule, isThere ? .create : []) { rule.encode(into: &$0) }
  }

  /// Creates, changes or removes a next-hop object.
  ///
  /// The kernel structure is `nhmsg`; the origin is `RTPROT_STATIC`, the attributes are `NHA_ID`, `NHA_OIF` and
  /// `NHA_GATEWAY`.
  mutating func setNextHop(_ id: UInt32, _ gateway: ReachabilityAddress?, on index: Int32?) throws {
    let flags: MessageFlags = gateway == nil ? [] : [.create, .replace]
    try change(gateway == nil ? .deleteNextHop : .newNextHop, flags) { encoder in
      encoder.append((gateway?.netlinkFamily ?? .unspecified).rawValue)
      encoder.append(UInt8(0))
      encoder.append(UInt8(gateway == nil ? 0 : 4))
      encoder.appendZeros(5)
      encoder.attribute(1, integer: id)
      guard let gateway else { return }
      if let index { encoder.attribute(5, integer: index) }
      encoder.attribute(6, address: gateway)
    }
  }
}

extension ReachabilityAddress {
  var netlinkFamily: AddressFamily { bitWidth == 32 ? .ipv4 : .ipv6 }
}

extension RouteMessage {
  /// A route of the main table.
  init(
    _ prefix: IPPrefix, _ kind: RouteKind = .unicast, via gateway: ReachabilityAddress? = nil,
    on index: Int32? = nil
  ) {
    self.init()
    family = prefix.address.netlinkFamily
    if prefix.length > 0 { destination = prefix.address }
    destinationLength = UInt8(prefix.length)
    self.kind = kind
    // RT_TABLE_MAIN and RTPROT_STATIC.
    table = 254
    origin = 4
    self.gateway = gateway
    interface = index
  }
}
