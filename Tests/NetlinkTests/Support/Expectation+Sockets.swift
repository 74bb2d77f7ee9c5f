// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
@testable import Netlink

extension Expectation {
  /// Connections, and the counters of a link.
  static let sockets = [
    Expectation(
      "socket-stalled",
      MessageHeader(length: 408, type: .listTCPSockets, flags: .multipart, sequence: 7, port: 7687),
      from: .sockets
    ) { _ in
      .socket(
        with(SocketMessage()) {
          $0.family = .ipv4
          $0.state = .established
          $0.timer = .retransmission
          $0.expirations = 3
          $0.localPort = 50234
          $0.remotePort = 7777
          $0.local = "10.1.0.1"
          $0.remote = "10.9.0.1"
          $0.cookie = 46614
          $0.expiry = 1604
          $0.unacknowledgedBytes = 60
          $0.inode = 66_085_123
          $0.mark = 0
          $0.metrics = with(TCPMetrics()) {
            $0.timeouts = 3
            $0.backoff = 3
            $0.timeout = 1_632_000
            $0.segmentSize = 1448
            $0.unacknowledged = 1
            $0.sinceData = 2004
            $0.sinceAcknowledgement = 2004
            $0.pathMTU = 1500
            $0.retransmissions = 4
            $0.retransmitted = 1
            $0.peerWindow = 65536
            $0.acknowledgedBytes = 51
            $0.sentDataSegments = 6
          }
        })
    },
    Expectation(
      "socket-connecting",
      MessageHeader(length: 408, type: .listTCPSockets, flags: .multipart, sequence: 7, port: 7687),
      from: .sockets
    ) { _ in
      .socket(
        with(SocketMessage()) {
          $0.family = .ipv6
          $0.state = .synSent
          $0.timer = .retransmission
          $0.expirations = 1
          $0.localPort = 54608
          $0.remotePort = 443
          $0.local = "fd00:1::1"
          $0.remote = "fd00:9::7"
          $0.cookie = 46615
          $0.expiry = 332
          $0.unacknowledgedBytes = 1
          $0.inode = 66_088_454
          $0.mark = 0
          $0.metrics = with(TCPMetrics()) {
            $0.timeouts = 1
            $0.timeout = 1_000_000
            $0.segmentSize = 1208
            $0.unacknowledged = 1
            $0.sinceData = 13_749_852
            $0.sinceAcknowledgement = 13_749_852
            $0.pathMTU = 1500
            $0.retransmissions = 1
            $0.retransmitted = 1
            $0.peerWindow = 0
          }
        })
    },
    Expectation(
      "statistics",
      MessageHeader(length: 232, type: .newStatistics, flags: [], sequence: 7, port: 7687), from: .counters
    ) { _ in
      .statistics(
        with(StatisticsMessage()) {
          $0.index = 2
          $0.groups = 1
          $0.received = 8
          $0.sent = 16
        })
    },
  ]
}
#endif
