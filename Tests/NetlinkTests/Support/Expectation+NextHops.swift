// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import NetlinkSupport

@testable import Netlink

extension Expectation {
  static let nextHops = [
    nextHop(
      "nexthop-ipv4",
      MessageHeader(length: 48, type: .newNextHop, flags: asked, sequence: 1_795_237_557, port: 5273)),
    nextHop(
      "nexthop-ipv6",
      MessageHeader(length: 60, type: .newNextHop, flags: asked, sequence: 1_795_237_557, port: 5275)),
    nextHop(
      "nexthop-blackhole",
      MessageHeader(length: 36, type: .newNextHop, flags: asked, sequence: 1_795_237_557, port: 5277)),
    nextHop(
      "nexthop-removed",
      MessageHeader(
        length: 36, type: .deleteNextHop, flags: [.request, .acknowledge], sequence: 1_795_237_558,
        port: 5285)),
    nextHop(
      "nexthop-group",
      MessageHeader(length: 68, type: .newNextHop, flags: asked, sequence: 1_795_237_558, port: 5281)),
    nextHop(
      "nexthop-bucket",
      MessageHeader(
        length: 64, type: .newNextHopBucket, flags: MessageFlags(rawValue: 0x100), sequence: 0, port: 0)),
  ]

  /// The flags of the request, which the announcement repeats.
  private static let asked = MessageFlags(rawValue: 0x605)

  private static func nextHop(_ fixture: String, _ header: MessageHeader) -> Expectation {
    Expectation(fixture, header) { _ in .nextHop }
  }
}
#endif
