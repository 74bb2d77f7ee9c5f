// SPDX-License-Identifier: Apache-2.0
import Netlink

/// What a rule says about itself, and what it sends to a sender that it rejects.
///
/// Not the conditions of the rule: `nft` prints those. The kernel message is `NFT_MSG_NEWRULE`.
package struct FilterRule: Equatable, Sendable {
  package var handle: UInt64?
  /// The comment, which need not be UTF-8: in the data of the rule's author, or in a match of iptables.
  package var comment: [UInt8]?
  package var rejection: Rejection?
  /// Whether an expression is one that only iptables-nft writes, `match` or `target`.
  package var hasExtensions = false
  /// Whether the rule counts packets, as each rule of iptables-nft does.
  package var hasCounter = false

  init() {}

  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    _ = try FilterHeader(decoding: bytes, in: range)
    var attributes = AttributeReader(in: range.lowerBound + FilterHeader.size..<range.upperBound)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case RuleAttribute.handle: handle = try bytes.bigEndian(in: attribute.value)
      case RuleAttribute.expressions: try decodeExpressions(bytes, in: attribute.value)
      case RuleAttribute.userData:
        comment = try Self.comment(bytes, in: attribute.value) ?? comment
      default: continue
      }
    }
  }

  private mutating func decodeExpressions(_ bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    var list = AttributeReader(in: range)
    while let element = try list.next(bytes) {
      var (name, data) = ([UInt8](), 0..<0)
      var attributes = AttributeReader(in: element.value)
      while let attribute = try attributes.next(bytes) {
        switch attribute.type {
        case ExpressionAttribute.name: name = try bytes.name(attribute.value)
        case ExpressionAttribute.data: data = attribute.value
        default: continue
        }
      }
      switch String(decoding: name, as: UTF8.self) {
      case "counter": hasCounter = true
      case "reject": rejection = try Rejection(decoding: bytes, in: data)
      case "match", "target":
        hasExtensions = true
        try decodeExtension(bytes, in: data)
      default: continue
      }
    }
  }

  /// Decodes a match or a target of iptables: its name, its revision and its structure.
  private mutating func decodeExtension(_ bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    var (name, information) = ([UInt8](), 0..<0)
    var attributes = AttributeReader(in: range)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case ExtensionAttribute.name: name = try bytes.name(attribute.value)
      case ExtensionAttribute.information: information = attribute.value
      default: continue
      }
    }
    switch String(decoding: name, as: UTF8.self) {
    // The structure is `xt_comment_info`, an array of characters.
    case "comment": comment = try bytes.name(information)
    case "REJECT":
      rejection = .iptables(try bytes.integer(at: information.lowerBound, before: information.upperBound))
    default: break
    }
  }

  /// Finds the comment in the data that `nft` keeps with a rule: a type and a length of one byte each, then the value.
  ///
  /// The type of `nft` for a comment is `NFTNL_UDATA_RULE_COMMENT`, 0. Other authors may keep anything there.
  private static func comment(_ bytes: RawSpan, in range: Range<Int>) throws(DecodingError) -> [UInt8]? {
    var rest = try bytes.bytes(in: range)[...]
    while rest.count >= 2 {
      let (type, length) = (rest[rest.startIndex], Int(rest[rest.startIndex + 1]))
      let value = rest.dropFirst(2).prefix(length)
      guard value.count == length else { return nil }
      if type == 0 { return Array(value.prefix { $0 != 0 }) }
      rest = rest.dropFirst(2 + length)
    }
    return nil
  }
}

/// What a rule sends to the sender of a packet that it rejects.
package enum Rejection: Equatable, Sendable {
  /// `NFT_REJECT_TCP_RST`.
  case reset
  /// An ICMP message of the packet's family with this code, `NFT_REJECT_ICMP_UNREACH`.
  case icmp(UInt8)
  /// An ICMP message in the terms of both families, `NFT_REJECT_ICMPX_UNREACH`.
  case icmpx(UInt8)
  /// The number of iptables, `ipt_reject_with` or `ip6t_reject_with`.
  case iptables(UInt32)
  /// A later kernel's.
  case other

  init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    var (type, code): (UInt32?, UInt8) = (nil, 0)
    var attributes = AttributeReader(in: range)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case RejectAttribute.type: type = try bytes.bigEndian(in: attribute.value)
      case RejectAttribute.code: code = try bytes.integer(in: attribute.value)
      default: continue
      }
    }
    switch type {
    case 0: self = .icmp(code)
    case 1: self = .reset
    case 2: self = .icmpx(code)
    default: self = .other
    }
  }

  /// What is sent, in the words of `nft`.
  package func words(isIPv6: Bool) -> String {
    switch self {
    case .reset: return "tcp reset"
    case .icmpx(let code):
      let words = ["no-route", "port-unreachable", "host-unreachable", "admin-prohibited"]
      return Int(code) < words.count ? "icmpx \(words[Int(code)])" : "icmpx code \(code)"
    case .icmp(let code):
      let words = isIPv6 ? Self.codesOfICMPv6 : Self.codesOfICMP
      return "\(isIPv6 ? "icmpv6" : "icmp") \(words[code] ?? "code \(code)")"
    case .iptables(let number):
      let words = isIPv6 ? Self.wordsOfIP6Tables : Self.wordsOfIPTables
      return number < words.count ? words[Int(number)] : "number \(number)"
    case .other: return "an unknown message"
    }
  }

  /// `ICMP_NET_UNREACH` and others.
  private static var codesOfICMP: [UInt8: String] {
    [
      0: "net-unreachable", 1: "host-unreachable", 2: "prot-unreachable", 3: "port-unreachable",
      9: "net-prohibited", 10: "host-prohibited", 13: "admin-prohibited",
    ]
  }

  /// `ICMPV6_NOROUTE` and others.
  private static var codesOfICMPv6: [UInt8: String] {
    [
      0: "no-route", 1: "admin-prohibited", 3: "addr-unreachable", 4: "port-unreachable", 5: "policy-fail",
      6: "reject-route",
    ]
  }

  /// The words of iptables, in the order of `ipt_reject_with`.
  private static var wordsOfIPTables: [String] {
    [
      "icmp-net-unreachable", "icmp-host-unreachable", "icmp-proto-unreachable", "icmp-port-unreachable",
      "echo-reply", "icmp-net-prohibited", "icmp-host-prohibited", "tcp-reset", "icmp-admin-prohibited",
    ]
  }

  /// The words of ip6tables, in the order of `ip6t_reject_with`.
  private static var wordsOfIP6Tables: [String] {
    [
      "icmp6-no-route", "icmp6-adm-prohibited", "icmp6-not-neighbour", "icmp6-addr-unreachable",
      "icmp6-port-unreachable", "echo-reply", "tcp-reset", "icmp6-policy-fail", "icmp6-reject-route",
    ]
  }
}

/// The hook that calls a chain; other chains have none.
///
/// The kernel message is `NFT_MSG_NEWCHAIN`.
package struct FilterChain: Equatable, Sendable {
  package var family: FilterFamily
  /// The kernel's number, `NF_INET_…` or `NF_NETDEV_…`.
  package var hook: UInt32?

  init(_ family: FilterFamily, hook: UInt32?) {
    self.family = family
    self.hook = hook
  }

  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    family = try FilterHeader(decoding: bytes, in: range).family
    var attributes = AttributeReader(in: range.lowerBound + FilterHeader.size..<range.upperBound)
    while let attribute = try attributes.next(bytes) {
      guard attribute.type == ChainAttribute.hook else { continue }
      var nested = AttributeReader(in: attribute.value)
      while let part = try nested.next(bytes) {
        if part.type == HookAttribute.number { hook = try bytes.bigEndian(in: part.value) }
      }
    }
  }

  /// The word of `nft` for the hook.
  package var hookWord: String? { hook.flatMap(family.word(ofHook:)) }
}
