/// What a status is about: the default route, an address or a host, with the constraints that a connection would have.
///
/// Equal targets share one look-up. An IPv4-mapped IPv6 address is the IPv4 address inside it, and an all-zero
/// address is the default route.
public struct Target: Hashable, Sendable {
  /// Where packets go.
  public enum Destination: Hashable, Sendable {
    /// Anywhere that no other route covers, over IPv4 or IPv6.
    case defaultRoute
    /// One address.
    case address(IPAddress)
    /// The host with a name: any of the addresses that the name stands for.
    case host(HostName)
  }

  /// An interface, by the name or by the index that it has now.
  public enum Interface: Hashable, Sendable {
    /// The interface that bears this name at the time of the look-up; it may come and go.
    case name(String)
    /// The interface with this index, from 1.
    case index(Int)
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
    _ destination: Destination, source: IPAddress? = nil, interface: Interface? = nil, mark: UInt32? = nil
  ) {
    self.destination =
      switch destination {
      case .address(let address) where address.unmapped.isUnspecified: .defaultRoute
      case .address(let address): .address(address.unmapped)
      case .defaultRoute, .host: destination
      }
    if source != nil || interface != nil || mark != nil {
      constraints = Constraints(source: Self.normalized(source), interface: interface, mark: mark)
    }
  }

  /// The unspecified address leaves the choice to the kernel, as it does for a socket.
  private static func normalized(_ source: IPAddress?) -> IPAddress? {
    source.flatMap { $0.unmapped.isUnspecified ? nil : $0.unmapped }
  }

  /// The default route of either family, without constraints.
  public static var defaultRoute: Target { Target(.defaultRoute) }

  /// One address, in a zone if it needs one (`fe80::1` in `eth0`).
  public static func address(_ address: IPAddress, zone: Interface? = nil) -> Target {
    Target(.address(address), interface: zone)
  }

  /// The host with a name.
  public static func host(_ name: HostName) -> Target {
    Target(.host(name))
  }
}

/// What a target holds connections to.
private struct Constraints: Hashable, Sendable {
  var source: IPAddress?
  var interface: Target.Interface?
  var mark: UInt32?
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

extension Target: CustomStringConvertible {
  /// The text form, such as `10.9.0.1`, `fe80::1%eth0`, `example.com` or `default`, followed by the constraints.
  public var description: String {
    var text: String
    var interface = interface
    switch destination {
    case .defaultRoute: text = "default"
    case .address(let address):
      text = address.description
      if address.needsZone, let zone = interface {
        text += "%\(zone)"
        interface = nil
      }
    case .host(let name): text = name.text
    }
    if let family { text += " over \(family)" }
    if let source { text += " from \(source)" }
    if let interface { text += " over \(interface)" }
    if let mark { text += " mark \(mark)" }
    return text
  }
}

extension Target.Interface: CustomStringConvertible {
  /// The name, or the index as a number.
  public var description: String {
    switch self {
    case .name(let name): name
    case .index(let index): String(index)
    }
  }
}
