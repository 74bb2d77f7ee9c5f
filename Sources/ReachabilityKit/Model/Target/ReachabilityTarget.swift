// SPDX-License-Identifier: Apache-2.0
/// The target of a status: the default route, an address or a host, with the constraints of a connection.
///
/// Equal targets share one lookup. A port without a transport is one of TCP. An IPv4-mapped IPv6 address equals the
/// IPv4 address inside it, and an all-zero address is the default route.
public struct ReachabilityTarget: Hashable, Sendable {
  /// The destination of packets.
  public enum Destination: Hashable, Sendable {
    /// Any destination that no other route covers, over IPv4 or IPv6.
    case defaultRoute
    /// One address.
    case address(ReachabilityAddress)
    /// The host with this name: any of its addresses.
    case host(ReachabilityTarget.HostName)
  }

  /// An interface, by one of its names or by its current index.
  ///
  /// Two names are equal if their bytes are, as for the kernel. The name of an interface need not be UTF-8. Such a
  /// name has no text, so only the index can specify the interface.
  public enum Interface: Hashable, Sendable {
    /// The interface that has this name, or this alternative name, at the time of the lookup.
    ///
    /// The interface may appear and disappear.
    case name(String)
    /// The interface whose name, or alternative name, has these bytes, which need not be UTF-8.
    case bytes([UInt8])
    /// The interface with this index, from 1.
    case index(Int)
  }

  /// A transport protocol, which has ports.
  public enum Transport: String, Hashable, Sendable, CaseIterable {
    /// The Transmission Control Protocol (RFC 9293).
    case tcp
    /// The User Datagram Protocol (RFC 768), which also carries QUIC and HTTP/3.
    case udp
  }

  /// The destination of packets.
  public let destination: Destination

  /// The local address that packets are sent from, or `nil` to let the kernel choose.
  ///
  /// The target is reachable only if an interface of this machine has the address, or, for IPv6, if the setting
  /// `net.ipv6.ip_nonlocal_bind` allows any. A link-local address requires its
  /// ``interface`` as well, as `bind` does.
  public var source: ReachabilityAddress? {
    get { storage?.constraints.source }
    set { constraints.source = Self.normalized(newValue) }
  }

  /// The only interface that packets may leave by, or `nil` for any; also the zone of an IPv6 address.
  public var interface: Interface? {
    get { storage?.constraints.interface }
    set { constraints.interface = newValue }
  }

  /// The firewall mark of packets, which policy rules may match; the socket option is `SO_MARK`.
  public var mark: UInt32? {
    get { storage?.constraints.mark }
    set { constraints.mark = newValue }
  }

  /// The transport protocol of the connection, which policy rules may match; `nil` if it is not known.
  ///
  /// Without a transport, the kernel is asked about TCP, with which nearly all programs connect. A multicast or
  /// broadcast address without a transport and a ``port`` is asked about UDP, since TCP cannot connect there.
  ///
  /// The request's attribute is `RTA_IP_PROTO`.
  public var transport: Transport? {
    get { storage?.constraints.transport }
    set { constraints.transport = newValue }
  }

  /// The destination port of the connection, which policy rules may match; `nil` if it is not known.
  ///
  /// Without a port, rules for destination ports do not apply, so a target may be reachable that such a rule blocks.
  /// Rules for source ports never apply, because the kernel chooses the source port of a connection later. Firewalls
  /// are not part of the routing tables, whatever the port.
  ///
  /// The request's attribute is `RTA_DPORT`.
  public var port: UInt16? {
    get { storage?.constraints.port }
    set { constraints.port = newValue }
  }

  /// The transport protocol of lookups.
  var effectiveTransport: Transport? { storage?.constraints.effectiveTransport }

  /// The only family of the default route that counts, or `nil` for the better one of both.
  package var family: ReachabilityAddress.Family? {
    get { storage?.constraints.family }
    set { constraints.family = newValue }
  }

  /// The constraints, stored separately since few targets have any; `nil` if there are none.
  private var storage: ConstraintStorage?

  private var constraints: Constraints {
    get { storage?.constraints ?? Constraints() }
    set { storage = newValue == Constraints() ? nil : ConstraintStorage(newValue) }
  }

  /// The targets whose statuses make this one's: the default route has one for each family.
  package var partsByFamily: [ReachabilityTarget] {
    guard destination == .defaultRoute, family == nil, source == nil else { return [self] }
    return [ReachabilityAddress.Family.v4, .v6].map { family in
      var target = self
      target.family = family
      return target
    }
  }

  /// Whether this is a host whose name always means this machine (RFC 6761).
  package var isLocalHost: Bool {
    if case .host(let name) = destination { name.isLocalHost } else { false }
  }

  /// Creates a target; the default is no constraint.
  public init(
    _ destination: Destination, source: ReachabilityAddress? = nil, interface: Interface? = nil,
    mark: UInt32? = nil,
    transport: Transport? = nil, port: UInt16? = nil
  ) {
    self.destination = destination.normalized
    if source != nil || interface != nil || mark != nil || transport != nil || port != nil {
      constraints = Constraints(
        source: Self.normalized(source), interface: interface, mark: mark, transport: transport, port: port)
    }
  }

  private init(_ destination: Destination, storage: ConstraintStorage?) {
    self.destination = destination.normalized
    self.storage = storage
  }

  /// Returns a target with another destination and the same constraints.
  func constraining(_ destination: Destination) -> ReachabilityTarget {
    ReachabilityTarget(destination, storage: storage)
  }

  /// Returns the target of a TCP connection to a port of this target.
  package func connecting(to port: UInt16) -> ReachabilityTarget {
    var target = self
    target.transport = .tcp
    target.port = port
    return target
  }

  /// The same target without transport and port.
  package var withoutPort: ReachabilityTarget {
    guard storage != nil else { return self }
    var target = self
    target.transport = nil
    target.port = nil
    return target
  }

  /// Maps the unspecified address to `nil`: the kernel chooses the source then, as for a socket.
  private static func normalized(_ source: ReachabilityAddress?) -> ReachabilityAddress? {
    source.flatMap { $0.unmapped.isUnspecified ? nil : $0.unmapped }
  }

  /// The default route of either family, without constraints.
  public static var defaultRoute: ReachabilityTarget { ReachabilityTarget(.defaultRoute) }

  /// Returns the target of one address, in a zone if the address needs one (`fe80::1` in `eth0`).
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - zone: The interface of the zone, or the only interface that packets may leave by.
  ///   - port: The port of a TCP connection, if it is known.
  public static func address(
    _ address: ReachabilityAddress, zone: Interface? = nil, port: UInt16? = nil
  ) -> ReachabilityTarget {
    ReachabilityTarget(.address(address), interface: zone, port: port)
  }

  /// Returns the target of a host.
  ///
  /// - Parameters:
  ///   - name: The name of the host.
  ///   - port: The port of a TCP connection, if it is known.
  public static func host(
    _ name: ReachabilityTarget.HostName, port: UInt16? = nil
  ) -> ReachabilityTarget {
    ReachabilityTarget(.host(name), port: port)
  }
}

extension ReachabilityTarget.Destination {
  fileprivate var normalized: Self {
    switch self {
    case .address(let address) where address.unmapped.isUnspecified: .defaultRoute
    case .address(let address): .address(address.unmapped)
    case .defaultRoute, .host: self
    }
  }
}

/// The constraints of a target's connections.
private struct Constraints: Hashable, Sendable {
  var source: ReachabilityAddress?
  var interface: ReachabilityTarget.Interface?
  var mark: UInt32?
  var transport: ReachabilityTarget.Transport?
  var port: UInt16?
  var family: ReachabilityAddress.Family?

  /// The transport, which is TCP where only the port is known.
  var effectiveTransport: ReachabilityTarget.Transport? { transport ?? (port == nil ? nil : .tcp) }

  static func == (one: Constraints, other: Constraints) -> Bool {
    one.source == other.source && one.interface == other.interface && one.mark == other.mark
      && one.effectiveTransport == other.effectiveTransport && one.port == other.port
      && one.family == other.family
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(source)
    hasher.combine(interface)
    hasher.combine(mark)
    hasher.combine(effectiveTransport)
    hasher.combine(port)
    hasher.combine(family)
  }
}

/// An immutable, shared copy of constraints.
private final class ConstraintStorage: Hashable, Sendable {
  let constraints: Constraints

  init(_ constraints: Constraints) { self.constraints = constraints }

  static func == (one: ConstraintStorage, other: ConstraintStorage) -> Bool {
    one === other || one.constraints == other.constraints
  }

  func hash(into hasher: inout Hasher) { hasher.combine(constraints) }
}

extension ReachabilityTarget: CustomStringConvertible {
  /// The text form, followed by the constraints.
  ///
  /// For example `10.9.0.1`, `fe80::1%eth0`, `example.com`, `tcp://[fd00::1]:443` or `default`.
  public var description: String {
    var text: String
    var interface = interface
    switch destination {
    case .defaultRoute: text = "default"
    case .address(let address):
      text = address.description
      if address.canHaveZone, let zone = interface {
        text += effectiveTransport == nil ? "%\(zone)" : "%25\(Self.escapedForURL(zone.octets))"
        interface = nil
      }
      if address.bitWidth == 128, effectiveTransport != nil { text = "[\(text)]" }
    case .host(let name): text = name.text
    }
    if let transport = effectiveTransport {
      if destination == .defaultRoute {
        text += " \(transport)" + (port.map { " port \($0)" } ?? "")
      } else {
        text = "\(transport)://\(text)" + (port.map { ":\($0)" } ?? "")
      }
    }
    if let family { text += " over \(family)" }
    if let source { text += " from \(source)" }
    if let interface { text += " over \(interface)" }
    if let mark { text += " mark \(mark)" }
    return text
  }
}

extension ReachabilityTarget.Interface {
  /// Whether both are the same index, or names with the same bytes.
  public static func == (one: ReachabilityTarget.Interface, other: ReachabilityTarget.Interface) -> Bool {
    switch (one, other) {
    case (.index(let one), .index(let other)): one == other
    case (.index, _), (_, .index): false
    default: one.interfaceName == other.interfaceName
    }
  }

  /// Feeds the index, or the name, to a hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .name, .bytes: hasher.combine(interfaceName)
    case .index(let index): hasher.combine(index)
    }
  }

  /// The name, or `nil` for an index.
  var interfaceName: InterfaceName? {
    switch self {
    case .name(let name): InterfaceName(name)
    case .bytes(let bytes): InterfaceName(bytes: bytes)
    case .index: nil
    }
  }

  /// The bytes of the name, or of the index as a number.
  fileprivate var octets: [UInt8] { interfaceName?.octets ?? Array(description.utf8) }
}

extension ReachabilityTarget {
  /// Returns a zone as text of a URL, with all but unreserved characters escaped (RFC 6874, RFC 3986).
  private static func escapedForURL(_ zone: [UInt8]) -> String {
    var text = ""
    for byte in zone {
      let scalar = Unicode.Scalar(byte)
      let isUnreserved =
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        || "-._~".unicodeScalars.contains(scalar)
      if isUnreserved {
        text.unicodeScalars.append(scalar)
      } else {
        text += byte < 16 ? "%0\(String(byte, radix: 16))" : "%\(String(byte, radix: 16))"
      }
    }
    return text
  }
}

extension ReachabilityTarget.Interface: CustomStringConvertible {
  /// The name, with invalid UTF-8 replaced, or the index as a number.
  public var description: String {
    switch self {
    case .name(let name): name
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .index(let index): String(index)
    }
  }
}
