// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// The flags of commands, and of the answers to dumps.
extension MessageFlags {
  /// A part of a dump, `NLM_F_MULTI`.
  package static let multipart = MessageFlags(rawValue: 0x2)
  /// Requests an acknowledgement, `NLM_F_ACK`.
  package static let acknowledge = MessageFlags(rawValue: 0x4)
  /// Creates the entry if it does not exist, `NLM_F_CREATE`.
  package static let create = MessageFlags(rawValue: 0x400)
}
#endif
