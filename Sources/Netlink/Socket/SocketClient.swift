// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
/// A client for the kernel's list of TCP sockets.
///
/// One owner at a time. It needs no privileges, sees the sockets of its network namespace, and causes no network
/// traffic. A connection whose other end is a loopback address is left out by the kernel.
package struct SocketClient: ~Copyable, Sendable {
  private(set) var conversation: Conversation

  package init(over channel: any Transport) {
    // The kernel fills datagrams of 32 KiB if the receiver has room for them.
    conversation = Conversation(over: channel, bufferSize: 32768)
  }

  /// Lists the connections that exchange segments, and those that were closed in the last minute.
  ///
  /// - Parameters:
  ///   - restart: Runs before each attempt; connections that come and go meanwhile may be listed or not.
  ///   - each: Receives each socket. One that can't be decoded is skipped.
  package mutating func connections(
    restart: () -> Void, each: (SocketMessage) -> Void
  ) throws(NetlinkError) {
    try conversation.dump("list TCP connections", type: .listTCPSockets) { encoder in
      // inet_diag_req: the family is ignored in a list.
      encoder.appendZeros(3)
      encoder.append(UInt8(1) << (UInt8(SocketAttribute.metrics) - 1))
      // The addresses and ports of one socket.
      encoder.appendZeros(48)
      encoder.append(TCPState.exchanging.reduce(UInt32(0)) { $0 | 1 << $1.rawValue })
      encoder.appendZeros(4)
      Self.appendProgram(to: &encoder)
    } restart: {
      restart()
    } each: { bytes, message throws(DecodingError) in
      guard message.header.type == .listTCPSockets else { return }
      each(try SocketMessage(decoding: bytes, in: message.payload))
    }
  }

  /// Appends a program that rejects sockets whose remote address is in `127.0.0.0/8`, or is `::1`.
  ///
  /// Each instruction is a code, the bytes to the next one if its condition holds, and those if not. Only the last
  /// number may lead beyond the end, which rejects the socket; so a jump follows each condition.
  private static func appendProgram(to encoder: inout MessageEncoder) {
    func condition(_ family: AddressFamily, prefixLength: UInt8, yes: UInt8, no: UInt16) {
      // INET_DIAG_BC_D_COND, for any port.
      encoder.append(UInt8(7))
      encoder.append(yes)
      encoder.append(no)
      encoder.append(family.rawValue)
      encoder.append(prefixLength)
      encoder.appendZeros(2)
      encoder.append(Int32(-1))
    }
    func jump(_ distance: UInt16) {
      // INET_DIAG_BC_JMP.
      encoder.append(UInt8(1))
      encoder.append(UInt8(4))
      encoder.append(distance)
    }
    encoder.append(UInt16(56))
    encoder.append(SocketAttribute.program)
    condition(.ipv4, prefixLength: 8, yes: 16, no: 20)
    encoder.append(UInt8(127))
    encoder.appendZeros(3)
    jump(40)
    condition(.ipv6, prefixLength: 128, yes: 28, no: 32)
    encoder.appendZeros(15)
    encoder.append(UInt8(1))
    jump(8)
  }
}
#endif
