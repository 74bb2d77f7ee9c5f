#if os(Linux)
import InternetProtocol
import POSIX

/// A lookup in the routing tables: the resolved route of a packet, or the matching entry.
///
/// The kernel message is `RTM_GETROUTE`.
package struct RouteRequest: Hashable, Sendable {
  package var destination: IPAddress
  package var source: IPAddress?
  package var outputInterface: Int32?
  package var mark: UInt32?
  /// The owner of the packets; the kernel's default is the real user of this process.
  package var userID: UInt32?
  /// The IP protocol number; the kernel's default is UDP for IPv4, and none for IPv6.
  package var protocolNumber: UInt8?
  /// The ports of the packets.
  package var sourcePort: UInt16?
  package var destinationPort: UInt16?
  /// The flags, of which only `lookupTable` and `exactMatch` apply.
  package var flags: RouteFlags

  package init(
    _ destination: IPAddress, source: IPAddress? = nil, outputInterface: Int32? = nil, mark: UInt32? = nil,
    userID: UInt32? = nil, protocolNumber: UInt8? = nil, sourcePort: UInt16? = nil,
    destinationPort: UInt16? = nil, flags: RouteFlags = []
  ) {
    self.destination = destination
    self.source = source
    self.outputInterface = outputInterface
    self.mark = mark
    self.userID = userID
    self.protocolNumber = protocolNumber
    self.sourcePort = sourcePort
    self.destinationPort = destinationPort
    self.flags = flags
  }

  /// Appends the message's payload; ``RouteMessage`` has the drawing.
  package func encode(into encoder: inout MessageEncoder) {
    let family: AddressFamily = destination.bitWidth == 32 ? .ipv4 : .ipv6
    // The first eight bytes as one number: family, both lengths, and zeros.
    var header = UInt64(family.rawValue)
    header |= UInt64(destination.bitWidth) << 8
    header |= UInt64(source?.bitWidth ?? 0) << 16
    encoder.append(header.littleEndian)
    encoder.append(flags.rawValue)
    encoder.attribute(RouteAttribute.destination, address: destination)
    if let source { encoder.attribute(RouteAttribute.source, address: source) }
    if let outputInterface { encoder.attribute(RouteAttribute.outputInterface, integer: outputInterface) }
    if let mark { encoder.attribute(RouteAttribute.mark, integer: mark) }
    if let userID { encoder.attribute(RouteAttribute.userID, integer: userID) }
    if let protocolNumber { encoder.attribute(RouteAttribute.protocolNumber, integer: protocolNumber) }
    if let sourcePort { encoder.attribute(RouteAttribute.sourcePort, integer: sourcePort.bigEndian) }
    if let destinationPort {
      encoder.attribute(RouteAttribute.destinationPort, integer: destinationPort.bigEndian)
    }
  }
}

/// The answer to a lookup: the part of ``RouteMessage`` that decides about a packet, which is faster to decode.
///
/// The kernel message is `RTM_NEWROUTE`.
package struct LookupReply: Hashable, Sendable {
  package var kind: RouteKind
  package var flags: RouteFlags
  package var destinationLength: UInt8
  package var table: UInt32
  package var outputInterface: Int32?
  /// The next hop, from `RTA_GATEWAY` or, for one of another family, `RTA_VIA`.
  package var gateway: IPAddress?
  package var preferredSource: IPAddress?
  /// The metric, where the lowest wins; an IPv4 answer has it only for a matching entry.
  package var priority: UInt32 = 0
  /// The remaining lifetime in hundredths of a second; 0 if unlimited.
  package var expires: Int32 = 0
  package var nextHops: [NextHop] = []
  /// How the packets are wrapped, if they are.
  package var encapsulation: Encapsulation?

  // RouteMessage has the drawing.
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    destinationLength = try bytes.integer(at: start + 1, before: end)
    table = UInt32(try bytes.integer(UInt8.self, at: start + 4, before: end))
    kind = RouteKind(rawValue: try bytes.integer(at: start + 7, before: end))
    flags = RouteFlags(rawValue: try bytes.integer(at: start + 8, before: end))

    var encapsulationType: UInt16 = 0
    var details: Range<Int>?
    var attributes = AttributeReader(in: start + 12..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case RouteAttribute.outputInterface: outputInterface = try bytes.integer(in: attribute.value)
      case RouteAttribute.gateway: gateway = try bytes.address(in: attribute.value)
      case RouteAttribute.via: gateway = try bytes.via(in: attribute.value)
      case RouteAttribute.preferredSource: preferredSource = try bytes.address(in: attribute.value)
      case RouteAttribute.priority: priority = try bytes.integer(in: attribute.value)
      case RouteAttribute.table: table = try bytes.integer(in: attribute.value)
      case RouteAttribute.cacheInfo: expires = try CacheInfo.expires(decoding: bytes, in: attribute.value)
      case RouteAttribute.multipath: nextHops = try NextHop.list(decoding: bytes, in: attribute.value)
      case RouteAttribute.encapsulationType: encapsulationType = try bytes.integer(in: attribute.value)
      case RouteAttribute.encapsulation: details = attribute.value
      default: continue
      }
    }
    // The type follows what it describes.
    guard encapsulationType != 0 else { return }
    encapsulation = try Encapsulation(type: encapsulationType, decoding: bytes, in: details ?? end..<end)
  }
}

extension Message {
  /// Decodes the answer to a lookup: the route, or the error.
  package func lookup(of bytes: RawSpan) throws(DecodingError) -> Result<LookupReply, Errno> {
    switch try Answer(self, of: bytes) {
    case .message(let message): .success(try LookupReply(decoding: bytes, in: message.payload))
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
      bytes.isEqual(to: own.extracting(part), at: start + part.lowerBound)
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
