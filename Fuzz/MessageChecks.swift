// SPDX-License-Identifier: Apache-2.0
@testable import Netlink
@testable import ReachabilityKit

extension Check {
  /// Decoders of netlink messages.
  static let messages =
    WireDecoder.all.map { decoder in
      Check(decoder.name, .messages) { bytes throws(Finding) in
        try expect(decoder.copes(with: bytes), "refused beyond the end, or changed by encoding")
      }
    } + [messageReader, attributeReader, traffic]

  private static let messageReader = Check("MessageReader", .messages) { bytes throws(Finding) in
    let span = RawSpan(_elements: bytes.span)
    var reader = MessageReader(in: 0..<bytes.count)
    var end = 0
    while let message = try? reader.next(span) {
      let payload = message.payload
      try expect(payload.lowerBound >= end + MessageHeader.size, "a message overlaps the one before")
      try expect(payload.upperBound <= bytes.count, "a message ends beyond the end")
      try expect(payload.count == message.header.length - MessageHeader.size, "a message is incomplete")
      end = payload.upperBound
    }
  }

  private static let attributeReader = Check("AttributeReader", .messages) { bytes throws(Finding) in
    try walk(RawSpan(_elements: bytes.span), in: min(16, bytes.count)..<bytes.count, depth: 0)
  }

  /// Visits attributes, and every value as if it had nested attributes.
  private static func walk(_ bytes: RawSpan, in range: Range<Int>, depth: Int) throws(Finding) {
    var reader = AttributeReader(in: range)
    var end = range.lowerBound
    do {
      while let attribute = try reader.next(bytes) {
        try expect(attribute.value.lowerBound >= end + 4, "an attribute overlaps the one before")
        try expect(attribute.value.upperBound <= range.upperBound, "an attribute ends beyond the end")
        try expect(attribute.type < 0x4000, "an attribute's type has flags")
        if depth < 4 { try walk(bytes, in: attribute.value, depth: depth + 1) }
        end = attribute.value.upperBound
      }
    } catch let error as DecodingError {
      try expect(range.contains(error.offset), "refused at byte \(error.offset) of \(range)")
    } catch let finding as Finding {
      throw finding
    } catch {}
  }

  /// Any list of connections is evidence of something, and claims nothing that it does not contain.
  private static let traffic = Check("TrafficEvidence", .messages) { bytes throws(Finding) in
    let span = RawSpan(_elements: bytes.span)
    var reader = MessageReader(in: 0..<bytes.count)
    var reading = TrafficReading()
    while let message = try? reader.next(span) {
      guard let socket = try? SocketMessage(decoding: span, in: message.payload) else { continue }
      if let connection = TrafficConnection(socket, user: 0) { reading.connections.append(connection) }
    }
    let path = TrafficPath(interface: 2, gateway: nil, family: .v4)
    reading.samples = TrafficReading.choice(of: reading.connections).map { .init(connection: $0, path: path) }
    let evidence = EvidenceEvaluator(reading: reading).evidence(about: .paths([path]))
    let stalled = reading.connections.filter(\.mayStall)
    try expect(evidence.connections <= reading.connections.count, "more connections than there are")
    try expect(evidence.stalledConnections <= stalled.count, "more stalled connections than there are")
    try expect(evidence.verdict != .stalled || !stalled.isEmpty, "a stall without a stalled connection")
    try expect(
      (evidence.fault == nil) == (evidence.stalledConnections == 0), "a fault without a stall, or none")
    try expect(evidence.meansSame(as: evidence), "evidence differs from itself")
  }
}
