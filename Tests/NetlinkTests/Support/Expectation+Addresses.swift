// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import NetlinkSupport
@testable import Netlink

extension Expectation {
  static let addresses = [
    Expectation(
      "address-ipv4",
      MessageHeader(length: 84, type: .newAddress, flags: [], sequence: 1_795_237_552, port: 5244)
    ) { _ in .address(AddressMessage("10.1.0.1", 24, .permanent, on: 2)) },
    Expectation(
      "address-ipv6",
      MessageHeader(length: 72, type: .newAddress, flags: [], sequence: 0, port: 0)
    ) { _ in .address(AddressMessage("fd00:1::1", 64, .unchecked, on: 2)) },
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
    ) { _ in .address(AddressMessage("fd00:77::1", 64, [.tentative, .permanent], on: 2)) },
  ]

  /// The prefix is that of the remote end.
  private static let pointToPoint = with(AddressMessage("10.9.0.2", 32, .permanent, on: 3)) {
    $0.address = "10.9.0.1"
  }
}
#endif
