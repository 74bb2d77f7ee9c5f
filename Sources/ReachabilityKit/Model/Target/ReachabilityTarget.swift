/// What a status is about: the default route, an address or a host, with the constraints that a connection would have.
///
/// Equal targets share one look-up. An IPv4-mapped IPv6 address is the IPv4 address inside it, and an all-zero
/// address is the default route.
public struct ReachabilityTarget: Hashable, Sendable {
  /// Where packets go.
  public enum Destination: Hashable, Sendable {
    /// Anywhere that no other route covers, over IPv4 or IPv6.
    case defaultRoute
    /// One address.
    case address(IPAddress)
    /// The host with a name: any of the addresses that the name stands for.
    case host(ReachabilityTarget.HostName)
  }

  /// An interface, by one of its names or by the index that it has now.
  ///
  /// Two names are equal if their bytes are, as they are to the kernel. The name of an interface need not be UTF-8; one
  /// that is not has no text, so that only its index says it.
  public enum Interface: Hashable, Sendable {
    /// The interface that bears this name at the time of the lookup, as its own or as an alternative one; it may come
    /// and go.
    case name(String)
    /// The interface with this index, from 1.
    case index(Int)
  }

  /// A protocol that has ports.
  public enum Transport: String, Hashable, Sendable, CaseIterable {
    /// The Transmission Control Protocol (RFC 9293).
    case tcp
    /// The User Datagram Protocol (RFC 768), which also carries QUIC and HTTP/3.
    case udp
  }

  /// Where packets go.
  public let destination: Destination

  /// The local address that packets come from, or `nil` to let the kernel choose.
  ///
  /// It must be assigned to an interface of this machine for the target to be reachable. A link-local address needs
  /// its ``interface`` as well, as `bind` does.
  public var source: IPAddress? {
    get { held?.constraints.source }
    set { constraints.source = Self.normalized(newValue) }
  }

  /// The only interface that packets may leave by, or `nil` for any; the zone of an IPv6 address goes here.
  public var interface: Interface? {
    get { held?.constraints.interface }
    set { constraints.interface = newValue }
  }

  /// The firewall mark that packets bear, which policy rules may ask for; the socket option is `SO_MARK`.
  public var mark: UInt32? {
    get { held?.constraints.mark }
    set { constraints.mark = newValue }
  }

  /// The transport protocol of the connection, which policy rules may select by; `nil` if it is not known.
  ///
  /// A target with a ``port`` and no transport is a TCP target. Without both, the kernel applies rules for UDP to IPv4
  /// targets, and applies no rule for a protocol to IPv6 targets.
  ///
  /// The request's attribute is `RTA_IP_PROTO`.
  public var transport: Transport? {
    get { held?.constraints.transport }
    set { constraints.transport = newValue }
  }

  /// The destination port of the connection, which policy rules may select by; `nil` if it is not known.
  ///
  /// Without a port, rules for destination ports do not apply, so a target may be reachable that such a rule blocks.
  /// Rules for source ports never apply, because the kernel chooses the source port of a connection later. Firewalls
  /// are not part of the routing tables, whatever the port.
  ///
  /// The request's attribute is `RTA_DPORT`.
  public var port: UInt16? {
    get { held?.constraints.port }
    set { constraints.port = newValue }
  }

  /// The transport that packets have in lookups.
  package var effectiveTransport: Transport? { transport ?? (port == nil ? nil : .tcp) }

  /// Of the default route, the only family that counts, or `nil` for the better one of both.
  package var family: IPAddress.Family? {
    get { held?.constraints.family }
    set { constraints.family = newValue }
  }

  /// What few targets have, kept apart, so that all others are small; `nil` if there is nothing.
  private var held: HeldConstraints?

  private var constraints: Constraints {
    get { held?.constraints ?? Constraints() }
    set { held = newValue == Constraints() ? nil : HeldConstraints(newValue) }
  }

  /// Whether this is a host that means this machine, whatever name servers say.
  package var isLocalHost: Bool {
    if case .host(let name) = destination { name.isLocalHost } else { false }
  }

  /// Makes a target, without constraints if none are given.
  public init(
    _ destination: Destination, source: IPAddress? = nil, interface: Interface? = nil, mark: UInt32? = nil,
    transport: Transport? = nil, port: UInt16? = nil
  ) {
    self.destination = destination.normalized
    if source != nil || interface != nil || mark != nil || transport != nil || port != nil {
      constraints = Constraints(
        source: Self.normalized(source), interface: interface, mark: mark, transport: transport, port: port)
    }
  }

  private init(_ destination: Destination, held: HeldConstraints?) {
    self.destination = destination.normalized
    self.held = held
  }

  /// Another destination with the constraints of this target.
  package func constraining(_ destination: Destination) -> ReachabilityTarget {
    ReachabilityTarget(destination, held: held)
  }

  /// The target of a connection over TCP to a port of this target.
  package func connecting(to port: UInt16) -> ReachabilityTarget {
    var target = self
    target.transport = .tcp
    target.port = port
    return target
  }

  /// The same target for any transport and port.
  package var withoutPort: ReachabilityTarget {
    guard held != nil else { return self }
    var target = self
    target.transport = nil
    target.port = nil
    return target
  }

  /// The unspecified address leaves the choice to the kernel, as it does for a socket.
  private static func normalized(_ source: IPAddress?) -> IPAddress? {
    source.flatMap { $0.unmapped.isUnspecified ? nil : $0.unmapped }
  }

  /// The default route of either family, without constraints.
  public static var defaultRoute: ReachabilityTarget { ReachabilityTarget(.defaultRoute) }

  /// One address, in a zone if it needs one (`fe80::1` in `eth0`).
  public static func address(_ address: IPAddress, zone: Interface? = nil) -> ReachabilityTarget {
    ReachabilityTarget(.address(address), interface: zone)
  }

  /// The host with a name.
  public static func host(_ name: ReachabilityTarget.HostName) -> ReachabilityTarget {
    ReachabilityTarget(.host(name))
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

/// What a target holds connections to.
private struct Constraints: Hashable, Sendable {
  var source: IPAddress?
  var interface: ReachabilityTarget.Interface?
  var mark: UInt32?
  var transport: ReachabilityTarget.Transport?
  var port: UInt16?
  var family: IPAddress.Family?
}

/// Constraints in a place of their own, which never change there.
private final class HeldConstraints: Hashable, Sendable {
  let constraints: Constraints

  init(_ constraints: Constraints) { self.constraints = constraints }

  static func == (one: HeldConstraints, other: HeldConstraints) -> Bool {
    one === other || one.constraints == other.constraints
  }

  func hash(into hasher: inout Hasher) { hasher.combine(constraints) }
}

extension ReachabilityTarget: CustomStringConvertible {
  /// The text form, such as `10.9.0.1`, `fe80::1%eth0`, `example.com`, `tcp://[fd00::1]:443` or `default`, followed by
  /// the constraints.
  public var description: String {
    var text: String
    var interface = interface
    switch destination {
    case .defaultRoute: text = "default"
    case .address(let address):
      text = address.description
      if address.canHaveZone, let zone = interface {
        text += effectiveTransport == nil ? "%\(zone)" : "%25\(zone.description.escapedForURL)"
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
  /// Whether both are the same index, or names of the same bytes.
  public static func == (one: ReachabilityTarget.Interface, other: ReachabilityTarget.Interface) -> Bool {
    switch (one, other) {
    case (.name(let one), .name(let other)): InterfaceName(one) == InterfaceName(other)
    case (.index(let one), .index(let other)): one == other
    default: false
    }
  }

  /// Feeds the index, or the name, to a hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .name(let name): hasher.combine(InterfaceName(name))
    case .index(let index): hasher.combine(index)
    }
  }
}

extension String {
  /// The text as a zone in a URL, in which all but unreserved characters are escaped (RFC 6874, RFC 3986).
  fileprivate var escapedForURL: String {
    var text = ""
    for byte in utf8 {
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
  /// The name, or the index as a number.
  public var description: String {
    switch self {
    case .name(let name): name
    case .index(let index): String(index)
    }
  }
}
