// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import NetlinkSupport
@testable import Netlink

extension Expectation {
  static let rules = [
    Expectation(
      "rule-ipv4-main",
      MessageHeader(length: 60, type: .newRule, flags: .multipart, sequence: 13, port: 2_596_897_310)
    ) { _ in
      .rule(
        with(Rule()) {
          $0.family = .ipv4
          $0.action = .lookUp(254)
          $0.priority = 32766
          // FRA_PROTOCOL, RTPROT_KERNEL
        })
    },
    Expectation(
      "rule-ipv4-prohibit",
      MessageHeader(length: 68, type: .newRule, flags: [], sequence: 1_795_237_558, port: 5289)
    ) { _ in .rule(prohibiting) },
    Expectation(
      "rule-removed",
      MessageHeader(length: 68, type: .deleteRule, flags: [], sequence: 1_795_237_559, port: 5291)
    ) { _ in .ruleRemoved(prohibiting) },
    Expectation(
      "rule-ipv6-from",
      MessageHeader(length: 168, type: .newRule, flags: [], sequence: 1_795_237_558, port: 5287)
    ) { _ in
      .rule(
        with(Rule()) {
          $0.family = .ipv6
          $0.action = .lookUp(1000)
          $0.priority = 1000
          $0.destination = IPPrefix("fd00:6::", length: 48)
          $0.source = IPPrefix("fd00:5::", length: 64)
          $0.mark = 0x10
          $0.markMask = 0xff
          $0.inputInterface = "v0"
          $0.outputInterface = "v1"
          $0.suppressedPrefixLength = 0
          $0.userIDs = .init(1000, 1999)
          $0.protocolNumber = 6
          $0.destinationPorts = 443...443
          $0.destinationPortMask = .max
          // FRA_PROTOCOL
        })
    },
  ]

  private static let prohibiting = with(Rule()) {
    $0.family = .ipv4
    $0.action = .refuse(.prohibit)
    $0.priority = 100
    $0.destination = IPPrefix("192.0.2.0", length: 24)
    // FRA_PROTOCOL
  }
}
#endif
