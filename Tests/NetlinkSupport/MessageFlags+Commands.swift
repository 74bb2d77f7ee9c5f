// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// The flags of the answers to dumps.
extension MessageFlags {
  /// A part of a dump, `NLM_F_MULTI`.
  package static let multipart = MessageFlags(rawValue: 0x2)
}
#endif
