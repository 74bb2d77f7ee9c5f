// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
extension Conversation {
  /// Sends a command and waits for its acknowledgement.
  ///
  /// - Throws: ``NetlinkError`` with code `refused` and the kernel's text if the kernel refuses the command.
  package mutating func acknowledged(
    _ attempt: String, type: MessageType, flags: MessageFlags = [], encode: (inout MessageEncoder) -> Void
  ) throws(NetlinkError) {
    let flags = flags.union(.acknowledge)
    let answer = try request(attempt, type: type, flags: flags, encode: encode) {
      if case .acknowledgement(let acknowledgement) = $1 { acknowledgement } else { nil }
    }
    if let error = answer.error {
      throw NetlinkError(.refused, attempt: attempt, errno: error, detail: answer.text)
    }
  }
}
#endif
