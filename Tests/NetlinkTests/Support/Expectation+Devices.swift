// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
@testable import Netlink

extension Expectation {
  /// Hardware links, and virtual ones that imitate hardware.
  static let devices = [
    Expectation(
      "link-wifi",
      MessageHeader(length: 1068, type: .newLink, flags: [], sequence: 3, port: 305)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 27
          $0.flags = LinkFlags(rawValue: 0x1002)
          $0.name = "wlan0"
          $0.mtu = 1500
          $0.operationalState = .down
          $0.hasCarrier = true
          $0.hardwareAddress = [0x02, 0x00, 0x00, 0x00, 0x00, 0x00]
          $0.parentDevice = "hwsim0"
        })
    },
    Expectation(
      "link-wifi-monitor",
      MessageHeader(length: 1064, type: .newLink, flags: [], sequence: 6, port: 305)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 803
          $0.index = 30
          $0.flags = LinkFlags(rawValue: 0x11043)
          $0.name = "mon0"
          $0.mtu = 1500
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.hardwareAddress = [0x02, 0x00, 0x00, 0x00, 0x01, 0x00]
          $0.parentDevice = "hwsim1"
        })
    },
    Expectation(
      "link-bluetooth",
      MessageHeader(length: 1068, type: .newLink, flags: [], sequence: 1, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 2
          $0.flags = LinkFlags(rawValue: 0x1002)
          $0.name = "bnep0"
          $0.mtu = 1500
          $0.operationalState = .down
          $0.hasCarrier = true
          $0.hardwareAddress = [0x00, 0xaa, 0x01, 0x01, 0x00, 0x01]
          $0.parentDevice = "hci1:42"
        })
    },
    Expectation(
      "link-radio-tap",
      MessageHeader(length: 1056, type: .newLink, flags: [], sequence: 4, port: 305)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 803
          $0.index = 29
          $0.flags = LinkFlags(rawValue: 0x1002)
          $0.name = "hwsim0"
          $0.mtu = 1500
          $0.operationalState = .down
          $0.hasCarrier = true
          $0.hardwareAddress = [0x12, 0x00, 0x00, 0x00, 0x00, 0x00]
        })
    },
    Expectation(
      "link-usb-modem",
      MessageHeader(length: 1076, type: .newLink, flags: [], sequence: 5, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 3
          $0.flags = LinkFlags(rawValue: 0x1002)
          $0.name = "wwan0"
          $0.mtu = 1500
          $0.operationalState = .down
          $0.hasCarrier = true
          $0.hardwareAddress = [0xa6, 0xae, 0x88, 0xbd, 0xd3, 0xad]
          $0.parentDevice = "1-1:1.0"
          $0.parentBus = "usb"
        })
    },
    Expectation(
      "link-usb-phone",
      MessageHeader(length: 1076, type: .newLink, flags: [], sequence: 4, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 5
          $0.flags = LinkFlags(rawValue: 0x1002)
          $0.name = "usb2"
          $0.mtu = 1500
          $0.operationalState = .down
          $0.hasCarrier = false
          $0.hardwareAddress = [0xaa, 0xc1, 0x00, 0xd9, 0x48, 0xa3]
          $0.parentDevice = "2-1:1.0"
          $0.parentBus = "usb"
        })
    },
    Expectation(
      "link-dummy",
      MessageHeader(length: 1056, type: .newLink, flags: [], sequence: 1, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 2
          $0.flags = LinkFlags(rawValue: 0x100c3)
          $0.name = "d1"
          $0.mtu = 1500
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.kind = "dummy"
          $0.hardwareAddress = [0x8a, 0x23, 0x55, 0x29, 0xb1, 0xf7]
        })
    },
    Expectation(
      "link-ifb",
      MessageHeader(length: 1060, type: .newLink, flags: [], sequence: 13, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 1
          $0.index = 14
          $0.flags = LinkFlags(rawValue: 0x100c3)
          $0.name = "ifb9"
          $0.mtu = 1500
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.kind = "ifb"
          $0.hardwareAddress = [0x7a, 0xc4, 0x48, 0x65, 0xa1, 0x00]
        })
    },
    Expectation(
      "link-nlmon",
      MessageHeader(length: 1036, type: .newLink, flags: [], sequence: 18, port: 153)
    ) { fixture in
      .link(
        link {
          $0.hardwareType = 824
          $0.index = 23
          $0.flags = LinkFlags(rawValue: 0x100c1)
          $0.name = "nlmon0"
          $0.mtu = 3776
          $0.operationalState = .unknown
          $0.hasCarrier = true
          $0.kind = "nlmon"
        })
    },
  ]
}
#endif
