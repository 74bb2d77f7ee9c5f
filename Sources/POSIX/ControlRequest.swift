#if os(Linux)
/// The requests of `ioctl(2)` that the C library does not declare.
package enum ControlRequest {
  /// The name of an interface by its index, `SIOCGIFNAME`.
  package static var interfaceName: UInt { 0x8910 }
  /// The address of an interface by its name, `SIOCGIFADDR`.
  package static var interfaceAddress: UInt { 0x8915 }
  /// The kind of a namespace as one of ``CloneFlags``, `NS_GET_NSTYPE`; since Linux 4.11.
  package static var namespaceKind: UInt { 0xb703 }
}
#endif
