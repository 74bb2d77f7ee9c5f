#if os(Linux)
import InternetProtocol
@testable import Netlink

extension Expectation {
  static let nexthops = [
    Expectation(
      "nexthop-ipv4",
      MessageHeader(length: 48, type: .newNexthop, flags: asked, sequence: 1_795_237_557, port: 5273)
    ) { _ in
      .nexthop(
        with(NexthopMessage()) {
          $0.family = .ipv4
          $0.scope = 253
          $0.id = 5
          $0.outputInterface = 2
          $0.gateway = "10.1.0.20"
        })
    },
    Expectation(
      "nexthop-ipv6",
      MessageHeader(length: 60, type: .newNexthop, flags: asked, sequence: 1_795_237_557, port: 5275)
    ) { _ in
      .nexthop(
        with(NexthopMessage()) {
          $0.family = .ipv6
          $0.scope = 253
          $0.origin = 4
          $0.id = 6
          $0.outputInterface = 2
          $0.gateway = "fd00:1::20"
        })
    },
    Expectation(
      "nexthop-blackhole",
      MessageHeader(length: 36, type: .newNexthop, flags: asked, sequence: 1_795_237_557, port: 5277)
    ) { _ in .nexthop(blackhole) },
    Expectation(
      "nexthop-removed",
      MessageHeader(
        length: 36, type: .deleteNexthop, flags: [.request, .acknowledge], sequence: 1_795_237_558,
        port: 5285)
    ) { _ in .nexthopRemoved(blackhole) },
    Expectation(
      "nexthop-group",
      MessageHeader(length: 68, type: .newNexthop, flags: asked, sequence: 1_795_237_558, port: 5281)
    ) { _ in
      .nexthop(
        with(NexthopMessage()) {
          $0.id = 10
          $0.members = [
            NexthopMessage.Member(id: 5, weight: 1, weightHigh: 0),
            NexthopMessage.Member(id: 8, weight: 2, weightHigh: 0),
          ]
          $0.unknown = [
            // NHA_GROUP_TYPE and NHA_OP_FLAGS
            RawAttribute(type: 3, value: [0, 0]), RawAttribute(type: 14, value: [0, 0, 0, 0x80]),
          ]
        })
    },
  ]

  /// The flags of the request, which the announcement repeats.
  private static let asked = MessageFlags(rawValue: 0x605)

  private static let blackhole = with(NexthopMessage()) {
    $0.family = .ipv4
    $0.id = 7
    $0.isBlackhole = true
  }

  static let configurations = [
    Expectation(
      "nexthop-bucket",
      MessageHeader(
        length: 64, type: .newNexthopBucket, flags: MessageFlags(rawValue: 0x100), sequence: 0, port: 0)
    ) { _ in .nexthopBucket },
    Expectation(
      "netconf-ipv4",
      MessageHeader(length: 36, type: .newNetconf, flags: [], sequence: 0, port: 0)
    ) { _ in .configuration },
    Expectation(
      "netconf-ipv6-all",
      MessageHeader(length: 36, type: .newNetconf, flags: [], sequence: 0, port: 0)
    ) { _ in .configuration },
    Expectation(
      "netconf-removed",
      MessageHeader(length: 28, type: .deleteNetconf, flags: [], sequence: 0, port: 0)
    ) { _ in .configuration },
  ]
}
#endif
