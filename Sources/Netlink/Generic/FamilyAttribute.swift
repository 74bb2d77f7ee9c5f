#if os(Linux)
/// The attributes of families, `CTRL_ATTR_…`.
package enum FamilyAttribute {
  /// `CTRL_ATTR_FAMILY_ID`.
  package static var id: UInt16 { 1 }
  /// `CTRL_ATTR_FAMILY_NAME`.
  package static var name: UInt16 { 2 }
}
#endif
