#if os(Linux)
import Glibc
import LiveSupport
import ReachabilityKit
import Testing

/// An upstream for both families, and a monitor of its client.
final class TrafficLab: Sendable {
  private let upstream: UpstreamLab
  let monitor: ReachabilityMonitor

  var client: NetworkNamespace { upstream.client }
  var router: NetworkNamespace { upstream.router }
  var server: NetworkNamespace { upstream.server }
  var listener: Listener { upstream.listener }

  init() throws {
    upstream = try UpstreamLab(hasIPv6: true)
    monitor = try upstream.client.run { try ReachabilityMonitor() }
  }

  /// Connects to one of the server's IPv4 addresses.
  func connect(_ number: UInt8 = 1) throws -> TCPStream {
    try TCPStream(from: client, to: [10, 9, 0, number], listener)
  }

  /// Drops all packets between client and server, while all links and routes stay.
  func cut() throws { try upstream.cut() }

  /// Ends ``cut()``.
  func join() throws { try upstream.join() }

  /// Reads evidence until it satisfies a condition, for ten seconds at most; returns the last evidence.
  @discardableResult
  func wait(
    for target: ReachabilityTarget = .defaultRoute, _ description: String,
    sourceLocation: SourceLocation = #_sourceLocation, while action: () -> Void = {},
    until isExpected: (TrafficEvidence) -> Bool
  ) -> TrafficEvidence {
    var evidence = monitor.evidence(for: target)
    let deadline = ContinuousClock.now + .seconds(10)
    while !isExpected(evidence) {
      guard ContinuousClock.now < deadline else {
        Issue.record("\(description): \(evidence)", sourceLocation: sourceLocation)
        break
      }
      action()
      usleep(50_000)
      evidence = monitor.evidence(for: target)
    }
    return evidence
  }
}
#endif
