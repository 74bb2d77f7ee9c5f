// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

#if os(Linux)
import AFNetworkReachability
import AppleReachability
import Foundation
import NetworkPathMonitor
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import TMReachability
import Testing

/// The branches of an app that uses the classic managers, on a machine without a modem.
@Suite struct SimulatedNetworkTests {
  static let statuses: [(ReachabilityStatus, flags: UInt32, apple: Int, af: Int, tm: Int)] = [
    (.reachable(over: .wifi), 0x2, 1, 2, 2),
    (.reachable(over: .wired), 0x2, 1, 2, 2),
    (.reachable(over: .cellular), 0x40003, 2, 1, 1),
    (.requiresConnection(over: .cellular), 0x40007, 2, 0, 0),
    (.requiresConnection(over: .wired), 0x6, 0, 0, 2),
    (.notReachable(.noCarrier), 0, 0, 0, 0),
  ]

  @Test(arguments: statuses) func `every manager reads the network that the test sets`(
    status: ReachabilityStatus, flags: UInt32, apple: Int, af: Int, tm: Int
  ) throws {
    let network = SimulatedNetwork(status)
    try network.withSystemConfiguration {
      let target = try #require(SCNetworkReachabilityCreateWithName(nil, "0.0.0.0"))
      var read = SCNetworkReachabilityFlags()
      #expect(SCNetworkReachabilityGetFlags(target, &read))
      #expect(read.rawValue == flags)
      let needsConnection = flags & 4 != 0
      let sample = try #require(AppleReachability.Reachability.forInternetConnection())
      #expect(sample.currentReachabilityStatus().rawValue == apple)
      #expect(sample.connectionRequired() == needsConnection)
      let tony = try #require(TMReachability.Reachability.forInternetConnection())
      #expect(tony.currentReachabilityStatus().rawValue == tm)
      #expect(tony.isConnectionRequired() == needsConnection)
    }
  }

  @Test func `the path monitor receives each change`() async {
    let network = SimulatedNetwork(.reachable(over: .wifi))
    let monitor = network.withSystemConfiguration { NWPathMonitor() }
    var types: [NWInterface.InterfaceType?] = []
    for await path in monitor {
      types.append(path.availableInterfaces.first?.type)
      if types.count == 3 { break }
      network.setStatus(types.count == 1 ? .notReachable(.noCarrier) : .reachable(over: .cellular))
    }
    #expect(types == [.wifi, nil, .cellular])
  }

  @Test func `AFNetworking's manager receives each change`() async {
    let network = SimulatedNetwork(Self.statuses[0].0)
    let manager = network.withSystemConfiguration { AFNetworkReachabilityManager() }
    let (received, continuation) = AsyncStream.makeStream(of: AFNetworkReachabilityStatus.self)
    manager.setReachabilityStatusChange { continuation.yield($0) }
    manager.startMonitoring()
    var events = received.makeAsyncIterator()
    #expect(await events.next(isolation: #isolation)?.rawValue == 2)
    for (status, _, _, af, _) in Self.statuses.dropFirst() {
      // Also when the status of the manager stays the same.
      network.setStatus(status)
      #expect(await events.next(isolation: #isolation)?.rawValue == af, "\(status)")
    }
    manager.stopMonitoring()
  }

  @Test func `a callback on a queue receives each change of its own network`() async throws {
    let networks = [SimulatedNetwork(.notReachable(.noRoute)), SimulatedNetwork(.notReachable(.noRoute))]
    final class Watch: @unchecked Sendable {
      let continuation: AsyncStream<UInt32>.Continuation
      init(_ continuation: AsyncStream<UInt32>.Continuation) { self.continuation = continuation }
    }
    let (received, continuation) = AsyncStream.makeStream(of: UInt32.self)
    let watch = Watch(continuation)
    func makeTarget() async -> SCNetworkReachability? { SCNetworkReachabilityCreateWithName(nil, "192.0.2.1") }
    let target = try #require(await networks[0].withSystemConfiguration { await makeTarget() })
    var context = SCNetworkReachabilityContext(
      version: 0, info: Unmanaged.passUnretained(watch).toOpaque(), retain: nil, release: nil, copyDescription: nil)
    SCNetworkReachabilitySetCallback(
      target,
      { _, flags, info in
        Unmanaged<Watch>.fromOpaque(info!).takeUnretainedValue().continuation.yield(flags.rawValue)
      }, &context)
    SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "watch"))
    networks[1].setStatus(.reachable(over: .wifi))
    networks[0].setStatus(.reachable(over: .cellular))
    var flags = received.makeAsyncIterator()
    #expect(await flags.next(isolation: #isolation) == 0x40003)
    networks[0].setStatus(.requiresConnection(over: .cellular))
    #expect(await flags.next(isolation: #isolation) == 0x40007)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    withExtendedLifetime(watch) {}
  }
}
#endif
