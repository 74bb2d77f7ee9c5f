/// The links below another link that determine its medium.
package enum LinkFoundation: Hashable, Sendable {
  /// None: the medium is its own.
  case none
  /// The one link below it, as for a VLAN.
  case lower
  /// The links that it joins, as for a bridge, or the active one of them.
  case ports(active: Int32?)
}
