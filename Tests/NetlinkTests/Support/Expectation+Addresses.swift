#if os(Linux)
import InternetProtocol
@testable import Netlink

extension Expectation {
  static let addresses = [
    Expectation(
      "address-ipv4",
      MessageHeader(length: 84, type: .newAddress, flags: [], sequence: 1_795_237_552, port: 5244)
    ) { _ in
      .address(
        with(AddressMessage()) {
          $0.family = .ipv4
          $0.prefixLength = 24
          $0.flags = AddressFlags(rawValue: 0x80)
          $0.index = 2
          $0.address = "10.1.0.1"
          $0.local = "10.1.0.1"
          $0.broadcast = "10.1.0.255"
          $0.label = "v0"
          $0.lifetime = forever(since: 159_049)
        })
    },
    Expectation(
      "address-ipv6",
      MessageHeader(length: 72, type: .newAddress, flags: [], sequence: 0, port: 0)
    ) { _ in
      .address(
        with(AddressMessage()) {
          $0.family = .ipv6
          $0.prefixLength = 64
          $0.flags = AddressFlags(rawValue: 0x2)
          $0.index = 2
          $0.address = "fd00:1::1"
          $0.lifetime = AddressMessage.Lifetime(
            preferredSeconds: 1800, validSeconds: 3600, created: 159_080, updated: 159_080)
        })
    },
    Expectation(
      "address-point-to-point",
      MessageHeader(length: 76, type: .newAddress, flags: [], sequence: 1_795_237_552, port: 5248)
    ) { _ in .address(pointToPoint) },
    Expectation(
      "address-removed",
      MessageHeader(length: 76, type: .deleteAddress, flags: [], sequence: 1_795_237_553, port: 5252)
    ) { _ in .addressRemoved(pointToPoint) },
    Expectation(
      "address-tentative",
      MessageHeader(length: 72, type: .newAddress, flags: [], sequence: 0, port: 0)
    ) { _ in
      .address(
        with(AddressMessage()) {
          $0.family = .ipv6
          $0.prefixLength = 64
          $0.flags = [.tentative, AddressFlags(rawValue: 0x80)]
          $0.index = 2
          $0.address = "fd00:77::1"
          $0.lifetime = forever(since: 159_140)
        })
    },
  ]

  private static let pointToPoint = with(AddressMessage()) {
    $0.family = .ipv4
    $0.prefixLength = 32
    $0.flags = AddressFlags(rawValue: 0x80)
    $0.index = 3
    $0.address = "10.9.0.2"
    $0.local = "10.9.0.1"
    $0.label = "v1"
    $0.lifetime = forever(since: 159_110)
  }

  private static func forever(since created: UInt32) -> AddressMessage.Lifetime {
    AddressMessage.Lifetime(
      preferredSeconds: .max, validSeconds: .max, created: created, updated: created)
  }
}
#endif
