// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
@testable import Netlink

extension Expectation {
  /// Links on top of other links.
  static let stacked = [
    Expectation(
      "link-bridge",
      MessageHeader(length: 1468, type: .newLink, flags: [], sequence: 2, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 4
          $0.flags = LinkFlags(rawValue: 0x11043)
          $0.name = "br0"
          $0.mtu = 1500
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.kind = "bridge"
          $0.hardwareAddress = [0x06, 0x66, 0x22, 0x45, 0xb6, 0x52]
          $0.kindData = fixture.kindData
        })
    },
    Expectation(
      "link-bridge-member",
      MessageHeader(length: 1388, type: .newLink, flags: [], sequence: 3, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 6
          $0.flags = LinkFlags(rawValue: 0x11043)
          $0.name = "pv"
          $0.mtu = 1500
          $0.operationalState = .up
          $0.hasCarrier = true
          $0.lower = 5
          $0.master = 4
          $0.kind = "veth"
          $0.memberKind = "bridge"
          $0.hardwareAddress = [0x9a, 0xe1, 0x71, 0xa9, 0xa6, 0x74]
        })
    },
    Expectation(
      "link-bond",
      MessageHeader(length: 1264, type: .newLink, flags: [], sequence: 5, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 7
          $0.flags = LinkFlags(rawValue: 0x11443)
          $0.name = "bond0"
          $0.mtu = 1500
          $0.operationalState = .up
          $0.hasCarrier = true
          $0.kind = "bond"
          $0.hardwareAddress = [0x7e, 0x09, 0x57, 0xfa, 0xee, 0xc0]
          $0.kindData = fixture.kindData
        })
    },
    Expectation(
      "link-bond-idle",
      MessageHeader(length: 1256, type: .newLink, flags: [], sequence: 1, port: 152)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 2
          $0.flags = LinkFlags(rawValue: 0x1403)
          $0.name = "bond1"
          $0.mtu = 1500
          $0.operationalState = .down
          $0.hasCarrier = false
          $0.kind = "bond"
          $0.hardwareAddress = [0x9a, 0x59, 0xc9, 0x8b, 0x56, 0xe3]
          $0.kindData = fixture.kindData
        })
    },
    Expectation(
      "link-bond-member",
      MessageHeader(length: 1132, type: .newLink, flags: [], sequence: 6, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 3
          $0.flags = LinkFlags(rawValue: 0x108c3)
          $0.name = "d2"
          $0.mtu = 1500
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.master = 7
          $0.kind = "dummy"
          $0.memberKind = "bond"
          $0.hardwareAddress = [0x7e, 0x09, 0x57, 0xfa, 0xee, 0xc0]
        })
    },
    Expectation(
      "link-vlan",
      MessageHeader(length: 1100, type: .newLink, flags: [], sequence: 7, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 8
          $0.flags = LinkFlags(rawValue: 0x100c3)
          $0.name = "d1.7"
          $0.mtu = 1500
          $0.operationalState = .up
          $0.hasCarrier = true
          $0.lower = 2
          $0.kind = "vlan"
          $0.hardwareAddress = [0x8a, 0x23, 0x55, 0x29, 0xb1, 0xf7]
          $0.kindData = fixture.kindData
        })
    },
    Expectation(
      "link-vlan-over-wifi",
      MessageHeader(length: 1100, type: .newLink, flags: [], sequence: 14, port: 305)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 31
          $0.flags = LinkFlags(rawValue: 0x1002)
          $0.name = "wlan0.5"
          $0.mtu = 1500
          $0.operationalState = .down
          $0.hasCarrier = false
          $0.lower = 27
          $0.kind = "vlan"
          $0.hardwareAddress = [0x02, 0x00, 0x00, 0x00, 0x00, 0x00]
          $0.kindData = fixture.kindData
        })
    },
    Expectation(
      "link-macvlan",
      MessageHeader(length: 1112, type: .newLink, flags: [], sequence: 8, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 9
          $0.flags = LinkFlags(rawValue: 0x11043)
          $0.name = "mac0"
          $0.mtu = 1500
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.lower = 2
          $0.kind = "macvlan"
          $0.hardwareAddress = [0xba, 0x21, 0xa6, 0x4c, 0xfe, 0xa0]
          $0.kindData = fixture.kindData
        })
    },
    Expectation(
      "link-macvlan-moved",
      MessageHeader(length: 1120, type: .newLink, flags: [], sequence: 1, port: 304)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 26
          $0.flags = LinkFlags(rawValue: 0x1002)
          $0.name = "moved0"
          $0.mtu = 1500
          $0.operationalState = .down
          $0.hasCarrier = true
          $0.lower = 2
          $0.lowerNamespace = 0
          $0.kind = "macvlan"
          $0.hardwareAddress = [0x1e, 0x33, 0x50, 0x51, 0x13, 0xa0]
          $0.kindData = fixture.kindData
        })
    },
    Expectation(
      "link-macvtap",
      MessageHeader(length: 1116, type: .newLink, flags: [], sequence: 9, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 10
          $0.flags = LinkFlags(rawValue: 0x11043)
          $0.name = "mtap0"
          $0.mtu = 1500
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.lower = 2
          $0.kind = "macvtap"
          $0.hardwareAddress = [0xc6, 0x60, 0x11, 0x9c, 0x38, 0xd1]
          $0.kindData = fixture.kindData
        })
    },
    Expectation(
      "link-ipvlan",
      MessageHeader(length: 1100, type: .newLink, flags: [], sequence: 10, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 11
          $0.flags = LinkFlags(rawValue: 0x110c3)
          $0.name = "ipv0"
          $0.mtu = 1500
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.lower = 5
          $0.kind = "ipvlan"
          $0.hardwareAddress = [0x1a, 0x31, 0xc5, 0x2c, 0xc2, 0x01]
          $0.kindData = [6, 0, 1, 0, 1, 0, 0, 0, 6, 0, 2, 0, 0, 0, 0, 0]
        })
    },
    Expectation(
      "link-vrf",
      MessageHeader(length: 1064, type: .newLink, flags: [], sequence: 11, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 12
          $0.flags = LinkFlags(rawValue: 0x104c1)
          $0.name = "red"
          $0.mtu = 65575
          $0.operationalState = .up
          $0.hasCarrier = true
          $0.kind = "vrf"
          $0.hardwareAddress = [0xf2, 0xfb, 0x00, 0xe3, 0xa8, 0x62]
          $0.kindData = [8, 0, 1, 0, 100, 0, 0, 0]
        })
    },
    Expectation(
      "link-team",
      MessageHeader(length: 1060, type: .newLink, flags: [], sequence: 12, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 13
          $0.flags = LinkFlags(rawValue: 0x1003)
          $0.name = "team0"
          $0.mtu = 1500
          $0.operationalState = .down
          $0.hasCarrier = false
          $0.kind = "team"
          $0.hardwareAddress = [0x12, 0xbe, 0x1f, 0x38, 0x0d, 0x73]
        })
    },
  ]
}
#endif
