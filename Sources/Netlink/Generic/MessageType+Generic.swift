#if os(Linux)
extension MessageType {
  /// The family that lists all families, `GENL_ID_CTRL`; the only one with a fixed number.
  package static var familyControl: MessageType { MessageType(rawValue: 16) }
}
#endif
