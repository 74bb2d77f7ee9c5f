// SPDX-License-Identifier: Apache-2.0
import Netlink

/// The header of every message of nf_tables, after that of netlink.
///
///      0        1        2        3
///     0 | family |version |   resource      |
///
/// The kernel structure is `nfgenmsg`. The resource is in network order; it names the subsystem of a transaction.
struct FilterHeader: Equatable, Sendable {
  static var size: Int { 4 }

  var family: FilterFamily

  init(_ family: FilterFamily) {
    self.family = family
  }

  init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    family = FilterFamily(rawValue: try bytes.integer(at: range.lowerBound, before: range.upperBound))
    guard range.count >= Self.size else { throw DecodingError(.truncated, at: range.lowerBound + 1) }
  }

  /// Appends the header.
  func encode(into encoder: inout MessageEncoder, resource: UInt16 = 0) {
    encoder.append(family.rawValue)
    encoder.append(UInt8(0))
    encoder.append(resource.bigEndian)
  }
}

/// The family of a table, `NFPROTO_…`.
package struct FilterFamily: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// No table, `NFPROTO_UNSPEC`.
  static var unspecified: FilterFamily { FilterFamily(rawValue: 0) }
  /// IPv4 and IPv6, `NFPROTO_INET`.
  package static var inet: FilterFamily { FilterFamily(rawValue: 1) }
  /// `NFPROTO_IPV4`.
  package static var ipv4: FilterFamily { FilterFamily(rawValue: 2) }
  /// The packets of one interface, `NFPROTO_NETDEV`.
  package static var device: FilterFamily { FilterFamily(rawValue: 5) }
  /// `NFPROTO_BRIDGE`.
  static var bridge: FilterFamily { FilterFamily(rawValue: 7) }
  /// `NFPROTO_IPV6`.
  package static var ipv6: FilterFamily { FilterFamily(rawValue: 10) }

  /// The word of `nft` for the family.
  package var word: String {
    switch self {
    case .inet: "inet"
    case .ipv4: "ip"
    case .device: "netdev"
    case .bridge: "bridge"
    case .ipv6: "ip6"
    default: "family \(rawValue)"
    }
  }

  /// The word of `nft` for one of the family's hooks, `NF_INET_…` and `NF_NETDEV_…`.
  func word(ofHook number: UInt32) -> String? {
    let words =
      self == .device
      ? ["ingress", "egress"] : ["prerouting", "input", "forward", "output", "postrouting", "ingress"]
    return number < words.count ? words[Int(number)] : nil
  }
}

extension MessageType {
  /// The messages of nf_tables have the number of its subsystem in their upper byte, `NFNL_SUBSYS_NFTABLES`.
  static var filterSubsystem: UInt16 { 10 }

  private static func filter(_ number: UInt16) -> MessageType {
    MessageType(rawValue: filterSubsystem << 8 | number)
  }

  /// The begin of a transaction, `NFNL_MSG_BATCH_BEGIN`.
  static var beginBatch: MessageType { MessageType(rawValue: 16) }
  /// The end of a transaction, which takes effect then as a whole; `NFNL_MSG_BATCH_END`.
  static var endBatch: MessageType { MessageType(rawValue: 17) }
  /// `NFT_MSG_NEWTABLE`.
  static var newTable: MessageType { filter(0) }
  /// `NFT_MSG_NEWCHAIN`.
  static var newChain: MessageType { filter(3) }
  /// `NFT_MSG_GETCHAIN`.
  static var getChain: MessageType { filter(4) }
  /// `NFT_MSG_NEWRULE`.
  static var newFilterRule: MessageType { filter(6) }
  /// `NFT_MSG_GETRULE`.
  static var getFilterRule: MessageType { filter(7) }
  /// What a rule decided about a packet that is traced, `NFT_MSG_TRACE`.
  static var trace: MessageType { filter(17) }
}

extension MulticastGroup {
  /// The decisions about packets that are traced, `NFNLGRP_NFTRACE`.
  static var traces: MulticastGroup { MulticastGroup(rawValue: 9) }
}

extension RawSpan {
  /// Reads an integer in network order, as nf_tables has them, whose size is exactly that of the range.
  func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(
    _: Value.Type = Value.self, in range: Range<Int>
  ) throws(DecodingError) -> Value {
    Value(bigEndian: try integer(in: range))
  }

  /// Reads a name or a comment, which need not be UTF-8, up to the first zero byte or the end of the range.
  func name(_ range: Range<Int>) throws(DecodingError) -> [UInt8] {
    Array(try bytes(in: range).prefix { $0 != 0 })
  }
}
