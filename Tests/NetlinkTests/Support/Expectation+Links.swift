// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
@testable import Netlink

extension Expectation {
  static func link(_ change: (inout LinkMessage) -> Void) -> LinkMessage {
    with(LinkMessage()) {
      $0.ipv6 = .on
      change(&$0)
    }
  }

  static let links = [
    Expectation(
      "link-veth",
      MessageHeader(length: 1132, type: .newLink, flags: [], sequence: 1, port: 2_596_897_310)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 2
          $0.flags = LinkFlags(rawValue: 0x11043)
          $0.name = "v0"
          $0.mtu = 1500
          $0.operationalState = .up
          $0.hasCarrier = true
          $0.lower = 2
          $0.lowerNamespace = 0
          $0.kind = "veth"
          $0.hardwareAddress = [2, 0, 0, 0, 0, 1]
        })
    },
    Expectation(
      "link-loopback",
      MessageHeader(length: 1100, type: .newLink, flags: [], sequence: 2, port: 2_596_897_310)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 772
          $0.index = 1
          $0.flags = [.up, .loopback, .running, .lowerUp]
          $0.name = "lo"
          $0.mtu = 65536
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.hardwareAddress = [0, 0, 0, 0, 0, 0]
        })
    },
    Expectation(
      "link-alternative-names",
      MessageHeader(length: 1156, type: .newLink, flags: [], sequence: 3, port: 2_596_897_310)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 3
          $0.flags = LinkFlags(rawValue: 0x11043)
          $0.name = "v1"
          $0.alternativeNames = ["enp0s1", "lan"]
          $0.mtu = 1500
          $0.operationalState = .up
          $0.hasCarrier = true
          $0.lower = 3
          $0.lowerNamespace = 0
          $0.kind = "veth"
          $0.hardwareAddress = [2, 0, 0, 0, 0, 2]
        })
    },
    Expectation(
      "link-no-carrier",
      MessageHeader(length: 1156, type: .newLink, flags: [], sequence: 4, port: 2_596_897_310)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 3
          $0.flags = LinkFlags(rawValue: 0x1003)
          $0.name = "v1"
          $0.alternativeNames = ["enp0s1", "lan"]
          $0.mtu = 1500
          $0.operationalState = .down
          $0.hasCarrier = false
          $0.lower = 3
          $0.lowerNamespace = 0
          $0.kind = "veth"
          $0.hardwareAddress = [2, 0, 0, 0, 0, 2]
        })
    },
    Expectation(
      "link-ppp",
      MessageHeader(length: 1424, type: .newLink, flags: [], sequence: 0, port: 0)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 512
          $0.index = 3
          $0.flags = LinkFlags(rawValue: 0x110d1)
          $0.changeMask = 1
          $0.name = "ppp0"
          $0.mtu = 1500
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.kind = "ppp"
          $0.kindData = []
        })
    },
    Expectation(
      "link-wwan",
      MessageHeader(length: 1444, type: .newLink, flags: [], sequence: 0, port: 0)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 65534
          $0.index = 3
          $0.flags = LinkFlags(rawValue: 0x100d1)
          $0.changeMask = 1
          $0.name = "wwan0"
          $0.mtu = 1500
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.kind = "wwan"
          $0.kindData = [8, 0, 1, 0, 1, 0, 0, 0]
          $0.parentDevice = "wwan0"
        })
    },
    Expectation(
      "link-wireguard",
      MessageHeader(length: 1424, type: .newLink, flags: [], sequence: 0, port: 0)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 65534
          $0.index = 10
          $0.flags = LinkFlags(rawValue: 0x100d1)
          $0.changeMask = 1
          $0.name = "wg0"
          $0.mtu = 1420
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.kind = "wireguard"
        })
    },
    Expectation(
      "link-wireless-event",
      MessageHeader(length: 72, type: .newLink, flags: [], sequence: 0, port: 0)
    ) { _ in
      .link(
        with(LinkMessage()) {
          $0.hardwareType = 1
          $0.index = 2
          $0.flags = LinkFlags(rawValue: 0x11003)
          $0.name = "wlan0"
          $0.isWirelessEvent = true
        })
    },
    Expectation(
      "link-removed",
      MessageHeader(length: 680, type: .deleteLink, flags: [], sequence: 0, port: 0)
    ) { fixture in
      .linkRemoved(
        link {
          $0.hardwareType = 1
          $0.index = 5
          $0.flags = LinkFlags(rawValue: 0x1002)
          $0.changeMask = 0xffff_ffff
          $0.name = "t1"
          $0.mtu = 1500
          $0.operationalState = .down
          $0.hasCarrier = false
          $0.ipv6 = .absent
          $0.lower = 0
          $0.kind = "veth"
          $0.hardwareAddress = [0x96, 0x6a, 0xf4, 0xb6, 0x03, 0x96]
        })
    },
    Expectation(
      "link-bridge-port",
      MessageHeader(length: 84, type: .deleteLink, flags: [], sequence: 0, port: 0)
    ) { _ in .other(.deleteLink) },
  ]
}
#endif
