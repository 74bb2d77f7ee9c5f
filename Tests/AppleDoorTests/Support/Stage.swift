// SPDX-License-Identifier: Apache-2.0
import Foundation
import POSIX
import ReachabilityKit
import ReachabilityTesting
import Synchronization
import SystemConfiguration

/// A simulated Apple system: the answers of its reachability functions, and its path.
struct Stage {
  /// The answers of the functions.
  let network: SimulatedNetwork
  /// The paths of `NWPathMonitor`.
  let played: PlayedNetwork
  let door: AppleNetworkSource
  private let simulator: ReachabilityMonitor

  init(
    _ status: ReachabilityStatus = .notReachable(.noRoute), path: NWPath? = .over(.wifi),
    limit: DispatchTimeInterval = .seconds(30)
  ) {
    network = SimulatedNetwork(status)
    simulator = ReachabilityMonitor(simulating: network)
    let played = PlayedNetwork(path)
    self.played = played
    door = PlayedNetwork.$current.withValue(played) { AppleNetworkSource(limit: limit) }
  }

  /// Returns the status from the door.
  func status(of target: ReachabilityTarget) -> ReachabilityStatus {
    ReachabilityMonitor.$substitute.withValue(simulator) { door.evaluate(target).status }
  }

  /// The path from the door.
  var path: ReachabilityPath { door.evaluatePath().path }

  /// Returns the next change, waited for as an engine's thread does; `nil` after half a minute.
  func waitForChange() -> NetworkChange? {
    let (door, change, end) = (door, Answer(), DispatchSemaphore(value: 0))
    try? door.startThread(named: "waiting") {
      let news = door.waitForChange(until: nil)
      change.value.withLock { $0 = news }
      end.signal()
    }
    _ = end.wait(timeout: .now() + .seconds(30))
    return change.value.withLock { $0 }
  }

  private final class Answer: Sendable {
    let value = Mutex<NetworkChange?>(nil)
  }

  /// Creates a monitor of the door.
  func makeMonitor() -> ReachabilityMonitor {
    ReachabilityMonitor(source: StagedSource(door: door, simulator: simulator))
  }
}

/// The door with the simulated functions, on every thread that queries it.
private struct StagedSource: NetworkSource {
  let door: AppleNetworkSource
  let simulator: ReachabilityMonitor

  var capabilities: SourceCapabilities { door.capabilities }

  func evaluate(_ target: ReachabilityTarget) -> Evaluation {
    ReachabilityMonitor.$substitute.withValue(simulator) { door.evaluate(target) }
  }

  func evaluatePath() -> PathEvaluation { door.evaluatePath() }
  func watch(_ subjects: Subscriptions) { door.watch(subjects) }
  func waitForChange(until deadline: Moment?) -> NetworkChange {
    door.waitForChange(until: deadline)
  }
  func wake() { door.wake() }
}

extension NWInterface {
  static let wifi = NWInterface(type: .wifi, name: "en0", index: 4)
  static let wired = NWInterface(type: .wiredEthernet, name: "en7", index: 9)
  static let cellular = NWInterface(type: .cellular, name: "pdp_ip0", index: 2)
  static let vpn = NWInterface(type: .other, name: "utun3", index: 12)
}

extension NWPath {
  static func over(
    _ interfaces: NWInterface..., ipv4: Bool = true, ipv6: Bool = false, dns: Bool = true,
    isExpensive: Bool = false, isConstrained: Bool = false, gateways: [NWEndpoint] = []
  ) -> NWPath {
    NWPath(
      status: .satisfied, availableInterfaces: interfaces, isExpensive: isExpensive,
      isConstrained: isConstrained, supportsIPv4: ipv4, supportsIPv6: ipv6, supportsDNS: dns,
      gateways: gateways)
  }

  static func unsatisfied(
    _ reason: UnsatisfiedReason = .notAvailable, _ interfaces: NWInterface...,
    status: NWPath.Status = .unsatisfied
  ) -> NWPath {
    NWPath(
      status: status, unsatisfiedReason: reason, availableInterfaces: interfaces, isExpensive: false,
      supportsIPv4: false, supportsIPv6: false, supportsDNS: true)
  }
}

extension NWEndpoint {
  /// A router.
  static func router(_ octets: [UInt8], on interface: NWInterface? = nil) -> NWEndpoint {
    if let address = IPv4Address(Data(octets), interface) {
      return .hostPort(host: .ipv4(address), port: .any)
    }
    if let address = IPv6Address(Data(octets), interface) {
      return .hostPort(host: .ipv6(address), port: .any)
    }
    preconditionFailure("\(octets) is no address")
  }
}

extension ReachabilityInterface {
  static let wifi = ReachabilityInterface(name: "en0", index: 4, kind: .wifi)
  static let wired = ReachabilityInterface(name: "en7", index: 9, kind: .wired)
  static let cellular = ReachabilityInterface(name: "pdp_ip0", index: 2, kind: .cellular)
}
