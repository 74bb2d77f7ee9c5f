// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import NetlinkSupport
import POSIX
@testable import Netlink

/// A request as the kernel receives it.
struct Request: Equatable, Sendable {
  var header: MessageHeader
  var payload: [UInt8]

  var isDump: Bool { header.flags.contains(.dump) }

  init(header: MessageHeader, payload: [UInt8]) {
    self.header = header
    self.payload = payload
  }

  /// Creates a request without the sender's port.
  init(_ type: MessageType, flags: MessageFlags, sequence: UInt32, payload: [UInt8]) {
    header = MessageHeader(
      length: MessageHeader.size + payload.count, type: type, flags: flags, sequence: sequence, port: 0)
    self.payload = payload
  }

  /// Returns the requests of a datagram up to the first undecodable one.
  static func list(_ bytes: RawSpan) -> [Request] {
    var reader = MessageReader(in: 0..<bytes.byteCount)
    var requests: [Request] = []
    while let message = try? reader.next(bytes), let payload = try? bytes.bytes(in: message.payload) {
      requests.append(Request(header: message.header, payload: payload))
    }
    return requests
  }
}

/// The kernel's possible answers, one message each.
extension Request {
  /// A route to the destination.
  func route(to destination: ReachabilityAddress) -> [UInt8] {
    message(.newRoute) { encoder in
      with(RouteMessage()) {
        $0.family = .ipv4
        $0.destination = destination
      }.encode(into: &encoder)
    }
  }

  /// A refusal, optionally with the kernel's text.
  func refusal(_ errno: Errno, text: String? = nil) -> [UInt8] {
    message(.error, flags: text == nil ? .capped : [.capped, .errorAttributes]) { encoder in
      encoder.append(-errno.rawValue)
      append(header, to: &encoder)
      if let text { encoder.attribute(1, text: text) }
    }
  }

  /// A successful acknowledgement.
  var acknowledgement: [UInt8] {
    message(.error, flags: .capped) { encoder in
      encoder.append(Int32(0))
      append(header, to: &encoder)
    }
  }

  /// The end of a dump, with its result.
  func done(_ result: Int32? = 0, flags: MessageFlags = []) -> [UInt8] {
    message(.done, flags: flags.union(.multipart)) { encoder in
      if let result { encoder.append(result) }
    }
  }

  /// A message that answers the request.
  func message(
    _ type: MessageType, flags: MessageFlags = [], _ encode: (inout MessageEncoder) -> Void
  ) -> [UInt8] {
    oneMessage(type, flags: flags, sequence: header.sequence, port: ScriptedKernel.ownPort, encode)
  }

  private func append(_ header: MessageHeader, to encoder: inout MessageEncoder) {
    encoder.append(UInt32(header.length))
    encoder.append(header.type.rawValue)
    encoder.append(header.flags.rawValue)
    encoder.append(header.sequence)
    encoder.append(header.port)
  }
}

/// One message with its header.
func oneMessage(
  _ type: MessageType, flags: MessageFlags = [], sequence: UInt32 = 0, port: UInt32 = 0,
  _ encode: (inout MessageEncoder) -> Void
) -> [UInt8] {
  var encoder = MessageEncoder()
  encoder.beginMessage(type: type, flags: flags, sequence: sequence, port: port)
  encode(&encoder)
  encoder.endMessage()
  return encoder.bytes
}
#endif
