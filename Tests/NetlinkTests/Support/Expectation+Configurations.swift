// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
@testable import Netlink

extension Expectation {
  static let configurations = [
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
