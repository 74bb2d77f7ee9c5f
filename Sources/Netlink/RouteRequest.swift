// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import POSIX

/// A lookup in the routing tables, for the route of a packet or the entry that matches it.
///
/// The kernel message is `RTM_GETROUTE`.
package struct RouteRequest: Hashable, Sendable {
  /// What is asked about packets.
  package enum Form: Hashable, Sendable {
    /// Their route: next hop and source.
    case route
    /// The matching entry: prefix, next hops, lifetime (`RTM_F_FIB_MATCH`).
    case entry
    /// The source that a socket chooses, which may have a route where packets without a source have none.
    case source
    /// Whether an IPsec policy blocks them.
    case policy
  }

  /// The maker of packets, which decides about their owner and protocol.
  package enum Sender: Hashable, Sendable {
    case process
    /// A tunnel: the kernel looks a route up once, for packets of its own.
    case tunnel
    /// The kernel, which wrapped packets as often as the routes demanded.
    case encapsulation(depth: UInt8)
  }

  package var destination: ReachabilityAddress
  package var source: ReachabilityAddress?
  /// The index of the interface that the packets are bound to.
  package var interface: Int32?
  package var mark: UInt32?
  /// The owner of the packets; the kernel's default is the real user of this process.
  package var userID: UInt32?
  /// The IP protocol number; the kernel's default is UDP for IPv4, and none for IPv6.
  package var protocolNumber: UInt8?
  /// The ports of the packets.
  package var sourcePort: UInt16?
  package var destinationPort: UInt16?
  package var form: Form
  package var sender: Sender

  package init(
    _ destination: ReachabilityAddress, source: ReachabilityAddress? = nil, interface: Int32? = nil,
    mark: UInt32? = nil,
    userID: UInt32? = nil, protocolNumber: UInt8? = nil, sourcePort: UInt16? = nil,
    destinationPort: UInt16? = nil, form: Form = .route, sender: Sender = .process
  ) {
    self.destination = destination
    self.source = source
    self.interface = interface
    self.mark = mark
    self.userID = userID
    self.protocolNumber = protocolNumber
    self.sourcePort = sourcePort
    self.destinationPort = destinationPort
    self.form = form
    self.sender = sender
  }

  /// Whether a socket answers it, and not the routing tables.
  package var takesSocket: Bool { form == .source || form == .policy }

  /// Appends the message's payload; ``RouteMessage`` has the drawing.
  package func encode(into encoder: inout MessageEncoder) {
    let family: AddressFamily = destination.bitWidth == 32 ? .ipv4 : .ipv6
    // The first eight bytes as one number: family, both lengths, and zeros.
    var header = UInt64(family.rawValue)
    header |= UInt64(destination.bitWidth) << 8
    header |= UInt64(source?.bitWidth ?? 0) << 16
    encoder.append(header.littleEndian)
    // Without the first flag the kernel reports a made-up table for IPv4.
    encoder.append((form == .entry ? RouteFlags.exactLookup : .lookupTable).rawValue)
    encoder.attribute(RouteAttribute.destination, address: destination)
    if let source { encoder.attribute(RouteAttribute.source, address: source) }
    if let interface { encoder.attribute(RouteAttribute.outputInterface, integer: interface) }
    if let mark { encoder.attribute(RouteAttribute.mark, integer: mark) }
    if let userID { encoder.attribute(RouteAttribute.userID, integer: userID) }
    if let protocolNumber { encoder.attribute(RouteAttribute.protocolNumber, integer: protocolNumber) }
    if let sourcePort { encoder.attribute(RouteAttribute.sourcePort, integer: sourcePort.bigEndian) }
    if let destinationPort {
      encoder.attribute(RouteAttribute.destinationPort, integer: destinationPort.bigEndian)
    }
  }
}

extension RouteRequest {
  /// The bytes of the message's payload.
  package var payload: [UInt8] {
    var encoder = MessageEncoder()
    encode(into: &encoder)
    return encoder.bytes
  }
}

extension Message {
  /// Decodes the answer to a lookup: the route, or the error.
  package func lookup(of bytes: RawSpan) throws(DecodingError) -> Result<RouteMessage, Errno> {
    switch try Answer(self, of: bytes) {
    case .message(let message): .success(try RouteMessage(decoding: bytes, in: message.payload))
    case .acknowledgement(let acknowledgement): .failure(acknowledgement.error ?? .invalidArgument)
    }
  }
}

/// The bytes of a lookup's answer, to recognize the same route in the answer for another destination, or the same error.
package struct KnownAnswer: Equatable, Sendable {
  private let type: MessageType
  private let bytes: [UInt8]
  /// The range of the destination address, which repeats the request's.
  private let destination: Range<Int>
  /// The offset of `rta_cacheinfo`, some of whose counters do not describe the route; the end of routes without it.
  private let counters: Int

  /// Copies an answer; returns `nil` if it is neither a route of the usual form nor an error.
  package init?(_ answer: Message, of bytes: RawSpan) {
    type = answer.header.type
    // The number of an error decides. What follows repeats the request, or explains.
    let payload = type == .error ? answer.payload.prefix(4) : answer.payload
    guard let own = try? bytes.bytes(in: payload) else { return nil }
    self.bytes = own
    if type == .error, own.count == 4 {
      (destination, counters) = (4..<4, 4)
    } else if type == .newRoute, let ignored = try? Self.ignoredParts(of: RawSpan(_elements: own.span)) {
      (destination, counters) = ignored
    } else {
      return nil
    }
  }

  private static func ignoredParts(
    of bytes: RawSpan
  ) throws(DecodingError) -> (destination: Range<Int>, counters: Int) {
    // RouteMessage has the drawing of the header.
    guard bytes.byteCount >= 12 else { throw DecodingError(.truncated, at: 0) }
    // The entry of a default route has no destination, and none for IPv4 has counters.
    var destination = 12..<12
    var attributes = AttributeReader(in: 12..<bytes.byteCount)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case RouteAttribute.destination: destination = attribute.value
      case RouteAttribute.cacheInfo where attribute.value.count >= 20:
        return (destination, attribute.value.lowerBound)
      default: break
      }
    }
    return (destination, bytes.byteCount)
  }

  /// Returns whether an answer is this error, or this route, regardless of the destination.
  package func isSame(as answer: Message, of bytes: RawSpan) -> Bool {
    let count = type == .error ? min(answer.payload.count, 4) : answer.payload.count
    guard count == self.bytes.count, answer.header.type == type else { return false }
    let own = RawSpan(_elements: self.bytes.span)
    let start = answer.payload.lowerBound
    func isEqual(_ part: Range<Int>) -> Bool {
      part.isEmpty || bytes.isEqual(to: own.extracting(part), at: start + part.lowerBound)
    }
    guard isEqual(0..<destination.lowerBound), isEqual(destination.upperBound..<counters) else {
      return false
    }
    // The comparison excludes rta_clntref, rta_lastuse and rta_used of rta_cacheinfo.
    return counters == count
      || isEqual(counters + 8..<counters + 16) && isEqual(counters + 20..<own.byteCount)
  }
}
#endif
