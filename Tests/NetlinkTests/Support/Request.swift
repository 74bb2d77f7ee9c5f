#if os(Linux)
import InternetProtocol
import POSIX
@testable import Netlink

/// A request as the kernel gets it.
struct Request: Equatable, Sendable {
  var header: MessageHeader
  var payload: [UInt8]

  var isDump: Bool { header.flags.contains(.dump) }

  init(header: MessageHeader, payload: [UInt8]) {
    self.header = header
    self.payload = payload
  }

  /// A request of a process that has not said which port is its own.
  init(_ type: MessageType, flags: MessageFlags, sequence: UInt32, payload: [UInt8]) {
    header = MessageHeader(
      length: MessageHeader.size + payload.count, type: type, flags: flags, sequence: sequence, port: 0)
    self.payload = payload
  }

  /// The requests of a datagram; what can't be read ends the list.
  static func list(_ bytes: RawSpan) -> [Request] {
    var reader = MessageReader(in: 0..<bytes.byteCount)
    var requests: [Request] = []
    while let message = try? reader.next(bytes), let payload = try? bytes.bytes(in: message.payload) {
      requests.append(Request(header: message.header, payload: payload))
    }
    return requests
  }
}

/// What the kernel can answer; each is one message.
extension Request {
  /// A route to the destination.
  func route(to destination: IPAddress) -> [UInt8] {
    message(.newRoute) { encoder in
      with(RouteMessage()) {
        $0.family = .ipv4
        $0.destination = destination
      }.encode(into: &encoder)
    }
  }

  /// No, perhaps with the kernel's own text.
  func refusal(_ errno: Errno, text: String? = nil) -> [UInt8] {
    message(.error, flags: text == nil ? .capped : [.capped, .errorAttributes]) { encoder in
      encoder.append(-errno.rawValue)
      append(header, to: &encoder)
      if let text { encoder.attribute(1, text: text) }
    }
  }

  /// Yes.
  var acknowledgement: [UInt8] {
    message(.error, flags: .capped) { encoder in
      encoder.append(Int32(0))
      append(header, to: &encoder)
    }
  }

  /// The end of a list, with how the listing went.
  func done(_ result: Int32? = 0, flags: MessageFlags = []) -> [UInt8] {
    message(.done, flags: flags.union(.multipart)) { encoder in
      if let result { encoder.append(result) }
    }
  }

  /// A message in answer to the request.
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
