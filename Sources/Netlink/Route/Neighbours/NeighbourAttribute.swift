#if os(Linux)
/// The attributes of neighbours, `NDA_…`.
package enum NeighbourAttribute {
  /// `NDA_DST`.
  package static var destination: UInt16 { 1 }
  /// `NDA_LLADDR`.
  package static var hardwareAddress: UInt16 { 2 }
}
#endif
