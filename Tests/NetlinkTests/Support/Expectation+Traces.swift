// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
@testable import Netlink
@testable import PacketTrace

extension Expectation {
  /// What nf_tables decides about packets, and the rules that decide.
  static let traces = [
    trace("trace-jump", length: 164, id: 0x583f_f689, "out", headers: true) {
      $0.rule = 4
      $0.verdict = FilterVerdict(-3, to: Array("deep".utf8))
    },
    trace("trace-drop", length: 92, id: 0x583f_f689, "deep") {
      $0.rule = 6
      $0.verdict = FilterVerdict(0)
    },
    trace("trace-end", length: 144, id: 0x057e_2924, "post", headers: true) {
      $0.verdict = FilterVerdict(-1)
    },
    trace("trace-policy", length: 76, id: 0x057e_2924, "post") { $0.policy = 0 },
    trace("trace-device", length: 148, id: 0xdf4f_05fa, "e", headers: true) {
      $0.family = .device
      $0.table = Array("eg".utf8)
      $0.rule = 2
      $0.verdict = FilterVerdict(0)
    },
    trace("trace-ipv6", length: 160, id: 0x5785_7af5, "out", headers: true) {
      $0.rule = 5
      $0.verdict = FilterVerdict(0)
    },
    rule("filter-rule-comment", length: 348, sequence: 13, port: 2_674_698_905) {
      $0.handle = 6
      $0.comment = Array("site policy 7".utf8)
      $0.hasCounter = true
    },
    rule("filter-rule-iptables", length: 632, sequence: 11, port: 3_321_750_807) {
      $0.handle = 2
      $0.comment = Array("hello there".utf8)
      $0.rejection = .iptables(8)
      $0.hasExtensions = true
      $0.hasCounter = true
    },
    rule("filter-rule-reject", length: 456, sequence: 10, port: 2_317_966_616) {
      $0.handle = 5
      $0.rejection = .icmpx(3)
    },
    Expectation(
      "filter-chain-hook",
      MessageHeader(length: 112, type: .newChain, flags: [], sequence: 21, port: 2_714_293_884),
      from: .filterChains, .filterChain(FilterChain(.inet, hook: 4))),
    Expectation(
      "filter-chain-plain",
      MessageHeader(length: 64, type: .newChain, flags: [], sequence: 21, port: 2_674_698_905),
      from: .filterChains, .filterChain(FilterChain(.inet, hook: nil))),
  ]

  private static func trace(
    _ fixture: String, length: Int, id: UInt32, _ chain: String, headers hasHeaders: Bool = false,
    _ change: @escaping @Sendable (inout TraceMessage) -> Void
  ) -> Expectation {
    Expectation(
      fixture, MessageHeader(length: length, type: .trace, flags: [], sequence: 0, port: 0), from: .traces
    ) { recorded in
      .trace(
        with(TraceMessage()) {
          $0.family = .inet
          $0.id = id
          $0.table = Array("site".utf8)
          $0.chain = Array(chain.utf8)
          if hasHeaders {
            $0.networkHeader = recorded.value(of: "NFTA_TRACE_NETWORK_HEADER")
            $0.transportHeader = recorded.value(of: "NFTA_TRACE_TRANSPORT_HEADER")
          }
          change(&$0)
        })
    }
  }

  private static func rule(
    _ fixture: String, length: Int, sequence: UInt32, port: UInt32,
    _ change: @escaping @Sendable (inout FilterRule) -> Void
  ) -> Expectation {
    Expectation(
      fixture, MessageHeader(length: length, type: .newFilterRule, flags: [], sequence: sequence, port: port),
      from: .filterRules
    ) { _ in .filterRule(with(FilterRule(), change)) }
  }
}

extension Fixture {
  /// The value of an attribute.
  fileprivate func value(of name: String) -> [UInt8] {
    guard let field = fields.first(where: { $0.name == name }) else { return [] }
    return Array(bytes[field.range].prefix(statedLength(of: field)).dropFirst(4))
  }
}
#endif
