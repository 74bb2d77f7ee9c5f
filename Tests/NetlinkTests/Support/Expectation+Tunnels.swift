// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
@testable import Netlink

extension Expectation {
  /// Links that encapsulate packets, or pass them to a program.
  static let tunnels = [
    Expectation(
      "link-tun",
      MessageHeader(length: 1080, type: .newLink, flags: [], sequence: 19, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 65534
          $0.index = 24
          $0.flags = LinkFlags(rawValue: 0x1091)
          $0.name = "tun9"
          $0.mtu = 1500
          $0.operationalState = .down
          $0.hasCarrier = false
          $0.kind = "tun"
          $0.kindData = fixture.kindData
        })
    },
    Expectation(
      "link-tap",
      MessageHeader(length: 1104, type: .newLink, flags: [], sequence: 20, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 25
          $0.flags = LinkFlags(rawValue: 0x1043)
          $0.name = "tap9"
          $0.mtu = 1500
          $0.operationalState = .unknown
          $0.hasCarrier = false
          $0.kind = "tun"
          $0.hardwareAddress = [0xa2, 0x6b, 0xca, 0x33, 0xe7, 0x1a]
          $0.kindData = fixture.kindData
        })
    },
    Expectation(
      "link-vxlan",
      MessageHeader(length: 1236, type: .newLink, flags: [], sequence: 14, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 15
          $0.flags = LinkFlags(rawValue: 0x11043)
          $0.name = "vx0"
          $0.mtu = 1450
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.kind = "vxlan"
          $0.hardwareAddress = [0x26, 0xbb, 0x96, 0x07, 0x7a, 0x56]
          $0.kindData = fixture.kindData
        })
    },
    Expectation(
      "link-gre",
      MessageHeader(length: 1196, type: .newLink, flags: [], sequence: 15, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 778
          $0.index = 19
          $0.flags = LinkFlags(rawValue: 0x100d1)
          $0.name = "gre9"
          $0.mtu = 1476
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.lower = 2
          $0.kind = "gre"
          $0.hardwareAddress = [0xc0, 0x00, 0x02, 0x01]
          $0.kindData = fixture.kindData
        })
    },
    Expectation(
      "link-sit",
      MessageHeader(length: 1216, type: .newLink, flags: [], sequence: 16, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 776
          $0.index = 21
          $0.flags = LinkFlags(rawValue: 0x100d1)
          $0.name = "sit9"
          $0.mtu = 1480
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.lower = 0
          $0.kind = "sit"
          $0.hardwareAddress = [0xc0, 0x00, 0x02, 0x01]
          $0.kindData = fixture.kindData
        })
    },
    Expectation(
      "link-xfrm",
      MessageHeader(length: 1064, type: .newLink, flags: [], sequence: 17, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 65534
          $0.index = 22
          $0.flags = LinkFlags(rawValue: 0x100c1)
          $0.name = "xfrm9"
          $0.mtu = 1500
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.lower = 2
          $0.kind = "xfrm"
          $0.kindData = [8, 0, 1, 0, 2, 0, 0, 0, 8, 0, 2, 0, 5, 0, 0, 0]
        })
    },
  ]
}
#endif
