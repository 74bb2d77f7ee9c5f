// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import Netlink

/// The table that marks the packets of one flow for tracing: three chains of one rule each, which drop nothing.
///
/// A rule compares family, protocol, address and ports, then a limit of packets a second, and sets `meta nftrace`. The
/// chains come before all others of their hooks. That of `input`, where all packets are this machine's, compares only the
/// local end: NAT restores that of the sender after most rules of that hook. No other socket has the local port, or, if the
/// probe has a given source, the port of that address.
/// The table belongs to the socket that makes it, so that the kernel removes it with the socket.
package struct TraceTable: Equatable, Sendable {
  /// The chains; a raw value is the number of the hook, `NF_INET_…`.
  package enum Chain: UInt32, CaseIterable, Sendable {
    case prerouting = 0
    case input = 1
    case output = 3

    package var name: String { "\(self)" }
    /// Whether the packets of this chain are the probe's, not the answers to it.
    package var isOutgoing: Bool { self == .output }
  }

  /// A name that no other table has, and no other process can guess.
  package let name: String
  let flow: Flow

  package init(for flow: Flow, randomNumber: UInt64) {
    let digits = String(randomNumber, radix: 16)
    name = "reachability-trace-" + String(repeating: "0", count: 16 - digits.count) + digits
    self.flow = flow
  }

  /// The number of packets a second that a rule marks.
  private static var rate: UInt64 { 20 }
  /// The number of messages that ask for an acknowledgement.
  package static var acknowledgements: Int { 1 + 2 * Chain.allCases.count }

  /// Appends the transaction that makes the table.
  func encode(into encoder: inout MessageEncoder) {
    var sequence: UInt32 = 0
    func message(
      _ type: MessageType, flags: MessageFlags = [], into encoder: inout MessageEncoder,
      _ content: (inout MessageEncoder) -> Void
    ) {
      sequence += 1
      encoder.beginMessage(type: type, flags: flags.union(.request), sequence: sequence)
      content(&encoder)
      encoder.endMessage()
    }
    let header = FilterHeader(.inet)
    message(.beginBatch, into: &encoder) {
      FilterHeader(.unspecified).encode(into: &$0, resource: MessageType.filterSubsystem)
    }
    message(.newTable, flags: .newThing, into: &encoder) {
      header.encode(into: &$0)
      $0.attribute(TableAttribute.name, text: name)
      $0.attribute(TableAttribute.flags, integer: TableFlags.owner.bigEndian)
    }
    for chain in Chain.allCases {
      message(.newChain, flags: .newThing, into: &encoder) {
        header.encode(into: &$0)
        $0.attribute(ChainAttribute.table, text: name)
        $0.attribute(ChainAttribute.name, text: chain.name)
        $0.nest(ChainAttribute.hook) { hook in
          hook.attribute(HookAttribute.number, integer: chain.rawValue.bigEndian)
          hook.attribute(HookAttribute.priority, integer: Int32.min.bigEndian)
        }
        $0.attribute(ChainAttribute.policy, integer: FilterVerdict.Kind.accept.rawValue.bigEndian)
        $0.attribute(ChainAttribute.type, text: "filter")
      }
    }
    for chain in Chain.allCases {
      message(.newFilterRule, flags: .lastRule, into: &encoder) {
        header.encode(into: &$0)
        $0.attribute(RuleAttribute.table, text: name)
        $0.attribute(RuleAttribute.chain, text: chain.name)
        $0.nest(RuleAttribute.expressions) { list in
          for expression in expressions(of: chain) { expression.encode(into: &list) }
        }
      }
    }
    message(.endBatch, into: &encoder) {
      FilterHeader(.unspecified).encode(into: &$0, resource: MessageType.filterSubsystem)
    }
  }

  private func expressions(of chain: Chain) -> [FilterExpression] {
    let octets = flow.remote.octets
    let isIPv6 = octets.count == 16
    // The offsets of the destination in the headers of IPv6 and IPv4; the source stands before it.
    let destination: UInt32 = isIPv6 ? 24 : 16
    let ports = chain.isOutgoing ? [flow.localPort, flow.remotePort] : [flow.remotePort, flow.localPort]
    let portOctets = ports.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    let kinds: [FilterExpression] = [
      .metadata(.family), .isEqual([(isIPv6 ? FilterFamily.ipv6 : .ipv4).rawValue]),
      .metadata(.transport), .isEqual([flow.transport.rawValue]),
    ]
    let source = flow.local?.octets ?? []
    let ends: [FilterExpression] =
      chain == .input
      ? (source.isEmpty
        ? [] : [.header(.network, offset: destination, count: UInt32(source.count)), .isEqual(source)])
        + [.header(.transport, offset: 2, count: 2), .isEqual(Array(portOctets.suffix(2)))]
      : [
        .header(
          .network, offset: chain.isOutgoing ? destination : destination - UInt32(octets.count),
          count: UInt32(octets.count)),
        .isEqual(octets), .header(.transport, offset: 0, count: 4), .isEqual(portOctets),
      ]
    return kinds + ends + [.limit(perSecond: Self.rate), .value([1]), .setTrace]
  }
}

/// An expression of a rule, as far as the rules of a trace need it.
///
/// All use the first register of 16 bytes.
private enum FilterExpression {
  /// The keys of metadata, `NFT_META_…`.
  enum Key: UInt32 {
    case trace = 12
    case family = 15
    case transport = 16
  }

  /// The headers of a packet, `NFT_PAYLOAD_…`.
  enum Header: UInt32 {
    case network = 1
    case transport = 2
  }

  case metadata(Key)
  case header(Header, offset: UInt32, count: UInt32)
  case isEqual([UInt8])
  case limit(perSecond: UInt64)
  case value([UInt8])
  case setTrace

  /// `NFT_REG_1`.
  private static var register: UInt32 { UInt32(1).bigEndian }

  func encode(into encoder: inout MessageEncoder) {
    encoder.nest(ExpressionAttribute.element) {
      $0.attribute(ExpressionAttribute.name, text: name)
      $0.nest(ExpressionAttribute.data, encodeData)
    }
  }

  private var name: String {
    switch self {
    case .metadata, .setTrace: "meta"
    case .header: "payload"
    case .isEqual: "cmp"
    case .limit: "limit"
    case .value: "immediate"
    }
  }

  private func encodeData(into encoder: inout MessageEncoder) {
    switch self {
    case .metadata(let key):
      encoder.attribute(OperandAttribute.metaKey, integer: key.rawValue.bigEndian)
      encoder.attribute(OperandAttribute.metaDestination, integer: Self.register)
    case .setTrace:
      encoder.attribute(OperandAttribute.metaKey, integer: Key.trace.rawValue.bigEndian)
      encoder.attribute(OperandAttribute.metaSource, integer: Self.register)
    case .header(let header, let offset, let count):
      encoder.attribute(OperandAttribute.payloadDestination, integer: Self.register)
      encoder.attribute(OperandAttribute.payloadBase, integer: header.rawValue.bigEndian)
      encoder.attribute(OperandAttribute.payloadOffset, integer: offset.bigEndian)
      encoder.attribute(OperandAttribute.payloadLength, integer: count.bigEndian)
    case .isEqual(let bytes):
      encoder.attribute(OperandAttribute.comparedRegister, integer: Self.register)
      // NFT_CMP_EQ.
      encoder.attribute(OperandAttribute.comparison, integer: UInt32(0))
      encoder.nest(OperandAttribute.comparedData) { $0.attribute(OperandAttribute.value, bytes: bytes) }
    case .limit(let rate):
      encoder.attribute(OperandAttribute.limitRate, integer: rate.bigEndian)
      encoder.attribute(OperandAttribute.limitUnit, integer: UInt64(1).bigEndian)
      encoder.attribute(OperandAttribute.limitBurst, integer: UInt32(truncatingIfNeeded: rate).bigEndian)
      // NFT_LIMIT_PKTS, which packets up to the rate pass.
      encoder.attribute(OperandAttribute.limitType, integer: UInt32(0))
      encoder.attribute(OperandAttribute.limitFlags, integer: UInt32(0))
    case .value(let bytes):
      encoder.attribute(OperandAttribute.immediateDestination, integer: Self.register)
      encoder.nest(OperandAttribute.immediateData) { $0.attribute(OperandAttribute.value, bytes: bytes) }
    }
  }
}

extension MessageFlags {
  /// Makes a thing that must not exist: `NLM_F_ACK`, `NLM_F_EXCL` and `NLM_F_CREATE`.
  fileprivate static var newThing: MessageFlags { MessageFlags(rawValue: 0x4 | 0x200 | 0x400) }
  /// Makes the last rule of a chain: `NLM_F_ACK`, `NLM_F_CREATE` and `NLM_F_APPEND`.
  fileprivate static var lastRule: MessageFlags { MessageFlags(rawValue: 0x4 | 0x400 | 0x800) }
}
