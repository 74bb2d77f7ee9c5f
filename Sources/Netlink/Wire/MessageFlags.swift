#if os(Linux)
/// The flags of a message header, `NLM_F_…`.
package struct MessageFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// A request, `NLM_F_REQUEST`.
  package static var request: MessageFlags { MessageFlags(rawValue: 0x1) }
  /// The table changed during the dump, `NLM_F_DUMP_INTR`.
  package static var dumpInterrupted: MessageFlags { MessageFlags(rawValue: 0x10) }
  /// A request for the whole table, `NLM_F_DUMP`.
  package static var dump: MessageFlags { MessageFlags(rawValue: 0x300) }
  /// An error message that repeats only the header of the request, `NLM_F_CAPPED`.
  package static var capped: MessageFlags { MessageFlags(rawValue: 0x100) }
  /// An error message with attributes, `NLM_F_ACK_TLVS`.
  package static var errorAttributes: MessageFlags { MessageFlags(rawValue: 0x200) }
}
#endif
