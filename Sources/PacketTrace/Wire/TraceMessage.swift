// SPDX-License-Identifier: Apache-2.0
import Netlink

/// What a rule or a chain decided about a packet that is traced.
///
/// The packet's headers come only with the first message of a chain that a hook calls; those that follow have the same
/// ``id``. The kernel message is `NFT_MSG_TRACE`.
package struct TraceMessage: Equatable, Sendable {
  package var family = FilterFamily.unspecified
  /// The number of the packet, which others may have later, `NFTA_TRACE_ID`.
  package var id: UInt32?
  package var table: [UInt8] = []
  package var chain: [UInt8] = []
  /// The number of the rule in its table; `nil` at the end of a chain.
  package var rule: UInt64?
  /// What the rule decided, or the end of the chain.
  package var verdict: FilterVerdict?
  /// What the chain's policy decided.
  package var policy: UInt32?
  /// The header of IPv4 or IPv6, at most 40 bytes.
  package var networkHeader: [UInt8] = []
  /// The header of TCP or UDP, at most 20 bytes.
  package var transportHeader: [UInt8] = []

  package init() {}

  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    family = try FilterHeader(decoding: bytes, in: range).family
    var attributes = AttributeReader(in: range.lowerBound + FilterHeader.size..<range.upperBound)
    while let attribute = try attributes.next(bytes) {
      let value = attribute.value
      switch attribute.type {
      case TraceAttribute.id: id = try bytes.bigEndian(in: value)
      case TraceAttribute.table: table = try bytes.name(value)
      case TraceAttribute.chain: chain = try bytes.name(value)
      case TraceAttribute.rule: rule = try bytes.bigEndian(in: value)
      case TraceAttribute.verdict: verdict = try FilterVerdict(decoding: bytes, in: value)
      case TraceAttribute.policy: policy = try bytes.bigEndian(in: value)
      case TraceAttribute.networkHeader: networkHeader = try bytes.bytes(in: value)
      case TraceAttribute.transportHeader: transportHeader = try bytes.bytes(in: value)
      default: continue
      }
    }
  }
}

/// The attributes of traces, `NFTA_TRACE_…`.
package enum TraceAttribute {
  /// `NFTA_TRACE_TABLE`.
  package static var table: UInt16 { 1 }
  /// `NFTA_TRACE_CHAIN`.
  package static var chain: UInt16 { 2 }
  /// `NFTA_TRACE_RULE_HANDLE`.
  package static var rule: UInt16 { 3 }
  /// `NFTA_TRACE_VERDICT`.
  package static var verdict: UInt16 { 5 }
  /// `NFTA_TRACE_ID`.
  package static var id: UInt16 { 6 }
  /// `NFTA_TRACE_NETWORK_HEADER`.
  package static var networkHeader: UInt16 { 8 }
  /// `NFTA_TRACE_TRANSPORT_HEADER`.
  package static var transportHeader: UInt16 { 9 }
  /// `NFTA_TRACE_POLICY`.
  package static var policy: UInt16 { 16 }
}

/// What happens to a packet.
package struct FilterVerdict: Equatable, Sendable {
  /// The kernel's number, `NFT_…` or `NF_…`.
  package var code: Int32
  /// The chain that the packet goes to.
  package var chain: [UInt8]?

  package init(_ code: Int32, to chain: [UInt8]? = nil) {
    self.code = code
    self.chain = chain
  }

  init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    var code: Int32?
    var attributes = AttributeReader(in: range)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case VerdictAttribute.code: code = try bytes.bigEndian(in: attribute.value)
      case VerdictAttribute.chain: chain = try bytes.name(attribute.value)
      default: continue
      }
    }
    guard let code else { throw DecodingError(.badValue, at: range.lowerBound) }
    self.code = code
  }

  /// The verdict without its parameters: the number of a queue, or an error number.
  ///
  /// The kernel constant is `NF_VERDICT_MASK`.
  package var kind: Kind? { Kind(rawValue: code < 0 ? code : code & 0xff) }

  /// The kinds of verdicts; a raw value is the kernel's number.
  package enum Kind: Int32, Sendable {
    case drop = 0
    case accept = 1
    /// Something else than the network stack has the packet.
    case stolen = 2
    /// A program has the packet.
    case queue = 3
    /// The next rule decides.
    case `continue` = -1
    case `break` = -2
    case jump = -3
    case goto = -4
    case `return` = -5

    /// The word of `nft`.
    package var word: String { "\(self)" }
  }
}

/// The attributes of verdicts, `NFTA_VERDICT_…`.
package enum VerdictAttribute {
  /// `NFTA_VERDICT_CODE`.
  package static var code: UInt16 { 1 }
  /// `NFTA_VERDICT_CHAIN`.
  package static var chain: UInt16 { 2 }
}
