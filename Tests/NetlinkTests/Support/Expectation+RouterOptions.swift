// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
@testable import Netlink

extension Expectation {
  static let routerOptions = [
    Expectation(
      "router-option-captive-portal",
      MessageHeader(length: 84, type: .newRouterOption, flags: [], sequence: 0, port: 0)
    ) { _ in
      .routerOption(RouterOption(index: 3, captivePortal: Array("https://portal.example/api".utf8)))
    },
    Expectation(
      "router-option-name-server",
      MessageHeader(length: 76, type: .newRouterOption, flags: [], sequence: 0, port: 0)
    ) { _ in
      .routerOption(RouterOption(index: 3))
    },
  ]
}
#endif
