/// One address of a name.
package struct NamedAddress: Hashable, Sendable {
  package var address: IPAddress
  /// The index of the interface that the resolver gave for a link-local address.
  package var zone: Int?

  package init(_ address: IPAddress, zone: Int? = nil) {
    self.address = address
    self.zone = zone
  }
}
