// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import Netlink
import POSIX

extension ProbeSocket {
  /// The reaction to a test packet.
  enum Reaction: Equatable, Sendable {
    /// The other end answered, with a packet that arrived in fragments of this size, if in any.
    case answer(fragment: Int?)
    /// A router, or this machine itself, reports the packet as too big for its link.
    case tooBig(mtu: Int, reporter: ReachabilityAddress?)
    /// Another error, which does not tell whether the packet arrived.
    case refusal
  }

  /// Opens a socket for one test packet, whose size is limited by its interface only, and not by what the kernel remembers
  /// about the path.
  ///
  /// - Throws: The system's error, for example `EACCES` if `net.ipv4.ping_group_range` does not permit echo requests.
  static func forPacket(
    _ kind: PacketSizeSurvey.Kind, _ plan: PacketSizePlan, interface: UInt32?
  ) throws(Errno) -> ProbeSocket {
    let isIPv4 = plan.address.family == .v4
    // IPPROTO_ICMP, IPPROTO_ICMPV6.
    let number: CInt = kind == .datagrams ? 0 : isIPv4 ? 1 : 58
    let socket = try ProbeSocket(
      .datagrams, to: plan.target, plan.address, port: kind == .datagrams ? plan.port : 0,
      interface: interface, protocol: number)
    try socket.descriptor.setOption(isIPv4 ? .ipv4MTUDiscovery : .ipv6MTUDiscovery, 3)
    try? socket.descriptor.setOption(isIPv4 ? .ipv4FragmentSize : .ipv6FragmentSize, 1)
    return socket
  }

  /// Sends a test packet of a size, with its headers.
  func send(_ kind: PacketSizeSurvey.Kind, size: Int) throws(Errno) {
    let header = family == .v4 ? 20 : 40
    switch kind {
    case .datagrams: try send([UInt8](repeating: 0, count: max(size - header - 8, 0)))
    case .echoes:
      var bytes = [UInt8](repeating: 0, count: max(size - header, 8))
      // An echo request (RFC 792, RFC 4443 section 4.1); the kernel sets the rest of the header.
      bytes[0] = family == .v4 ? 8 : 128
      try send(bytes)
    }
  }

  /// Receives the next reaction; `nil` if there is none.
  ///
  /// - Parameter address: The other end: an error of another sender says nothing about the whole path.
  func nextReaction(from address: ReachabilityAddress) -> Reaction? {
    if let error = nextError { return reaction(to: error, from: address) }
    guard let received = receive(.dontWait) else { return nil }
    return .answer(fragment: received.fragmentSize)
  }

  private func reaction(to error: ReportedError, from address: ReachabilityAddress) -> Reaction {
    if error.number == EMSGSIZE { return .tooBig(mtu: Int(error.information), reporter: error.reporter) }
    // Port unreachable; a firewall on the path may report it as well.
    let isUnreachablePort =
      error.number == ECONNREFUSED
      && (error.type, error.code) == (family == .v4 ? (3, 3) : (1, 4)) && error.reporter == address
    return isUnreachablePort ? .answer(fragment: nil) : .refusal
  }

  // MARK: The queue of errors

  /// An error of the queue; the kernel structure is `sock_extended_err`.
  struct ReportedError {
    var number: CInt
    var type: UInt8
    var code: UInt8
    var information: UInt32
    /// The sender of the ICMP message; `nil` if this machine itself reports the error.
    var reporter: ReachabilityAddress?
  }

  /// The next error of the queue, which then is gone from it.
  var nextError: ReportedError? {
    guard let control = receive([.errorQueue, .dontWait])?.control else { return nil }
    let (level, type): (CInt, CInt) = family == .v4 ? (0, 11) : (41, 25)
    // 0  number | 4  origin, type, code, padding | 8  information | 12  data | 16  address of the reporter
    guard let bytes = control.value(level: level, type: type), bytes.count >= 16,
      let number: CInt = bytes.integer(at: 0), let information: UInt32 = bytes.integer(at: 8)
    else { return nil }
    var error = ReportedError(number: number, type: bytes[5], code: bytes[6], information: information)
    // SO_EE_ORIGIN_ICMP, SO_EE_ORIGIN_ICMP6.
    if bytes[4] == 2 || bytes[4] == 3 {
      let place = family == .v4 ? 20 : 24
      error.reporter = ReachabilityAddress(
        octets: bytes.dropFirst(place).prefix(family == .v4 ? 4 : 16)
      ).flatMap { $0.isUnspecified ? nil : $0 }
    }
    return error
  }

  /// A received message: its control data.
  private struct Received {
    var control: ControlData
    let family: ReachabilityAddress.Family

    /// The size of the greatest fragment, if there were fragments.
    var fragmentSize: Int? {
      let bytes = family == .v4 ? control.value(level: 0, type: 25) : control.value(level: 41, type: 77)
      guard let size: CInt = bytes?.integer(at: 0), size > 0 else { return nil }
      return Int(size)
    }
  }

  /// Receives a message, whose data does not matter; `nil` if there is none.
  private func receive(_ flags: TransferFlags) -> Received? {
    var control = [UInt8](repeating: 0, count: 512)
    let count = unsafe control.withUnsafeMutableBytes { buffer in
      var message = unsafe msghdr()
      unsafe message.msg_control = buffer.baseAddress
      unsafe message.msg_controllen = numericCast(buffer.count)
      let result = unsafe recvmsg(descriptor.rawValue, &message, flags.rawValue)
      return result < 0 ? -1 : Int(unsafe message.msg_controllen)
    }
    return count < 0
      ? nil : Received(control: ControlData(bytes: Array(control.prefix(count))), family: family)
  }
}

/// The control messages of a received message; the kernel structure of each is `cmsghdr`.
private struct ControlData {
  var bytes: [UInt8]

  /// Returns the data of a control message.
  // 0  length, header included | 4 or 8  level | type | data, and padding to a whole word
  func value(level: CInt, type: CInt) -> [UInt8]? {
    let word = MemoryLayout<UInt>.size
    let header = word + 8
    var start = 0
    while start + header <= bytes.count {
      guard let length: UInt = bytes.integer(at: start), length >= header,
        Int(length) <= bytes.count - start
      else { return nil }
      if bytes.integer(at: start + word) == level, bytes.integer(at: start + word + 4) == type {
        return Array(bytes[(start + header)..<(start + Int(length))])
      }
      start += (Int(length) + word - 1) / word * word
    }
    return nil
  }
}

extension [UInt8] {
  /// Reads a number in the machine's byte order; `nil` beyond the end.
  fileprivate func integer<Value: FixedWidthInteger & BitwiseCopyable>(at place: Int) -> Value? {
    unsafe try? span.bytes.integer(at: place, before: count)
  }
}
#endif
