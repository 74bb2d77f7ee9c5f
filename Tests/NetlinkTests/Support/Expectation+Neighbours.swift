// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
@testable import Netlink

extension Expectation {
  static let neighbours = [
    Expectation(
      "neighbour-reachable",
      MessageHeader(length: 76, type: .newNeighbour, flags: [], sequence: 7, port: 17359), from: .neighbours
    ) { fixture in
      .neighbour(
        with(neighbour("10.1.0.254", .reachable, of: fixture)) {
          $0.hardwareAddress = [0x02, 0, 0, 0, 0, 0xfe]
          $0.sinceChange = 0
        })
    },
    Expectation(
      "neighbour-failed",
      MessageHeader(length: 64, type: .newNeighbour, flags: [], sequence: 7, port: 17359), from: .neighbours
    ) { fixture in
      .neighbour(with(neighbour("10.1.0.8", .failed, of: fixture)) { $0.sinceChange = 2 })
    },
  ]

  private static func neighbour(
    _ address: ReachabilityAddress, _ state: NeighbourState, of fixture: Fixture
  ) -> NeighbourMessage {
    with(NeighbourMessage()) {
      $0.family = .ipv4
      $0.index = 3
      $0.state = state
      $0.kind = .unicast
      $0.destination = address
    }
  }
}
#endif
