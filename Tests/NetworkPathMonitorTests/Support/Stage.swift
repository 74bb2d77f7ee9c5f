// SPDX-License-Identifier: Apache-2.0
import NetworkPathMonitor
import ReachabilityKit
import ReachabilityTesting
import TestSupport

/// A simulated network, and the monitors in it.
struct Stage {
  let network: SimulatedNetwork
  let monitor: ReachabilityMonitor

  init(_ status: ReachabilityStatus = .reachable(over: .wifi)) {
    network = SimulatedNetwork(status)
    monitor = ReachabilityMonitor(simulating: network)
  }

  /// Creates a monitor in this network.
  func make(_ make: () -> NWPathMonitor = { NWPathMonitor() }) -> NWPathMonitor {
    ReachabilityMonitor.$substitute.withValue(monitor, operation: make)
  }

  /// Returns the first path of a new monitor.
  func firstPath(_ make: () -> NWPathMonitor = { NWPathMonitor() }) async throws -> NWPath {
    let paths = Log<NWPath>()
    let monitor = self.make(make)
    monitor.pathUpdateHandler = { paths.append($0) }
    monitor.start(queue: .global())
    defer { monitor.cancel() }
    return try await paths.wait(for: 1)[0]
  }

  /// Returns the path that a monitor of a network with this one delivers.
  static func path(_ path: ReachabilityPath) async throws -> NWPath {
    let stage = Stage()
    stage.network.setPath(path)
    return try await stage.firstPath()
  }
}

extension ReachabilityPath.Interface {
  /// An interface of a simulated path.
  init(
    _ name: String, _ kind: ReachabilityInterface.Kind, isTunnel: Bool = false,
    via gateways: ReachabilityAddress...
  ) {
    let index = name.utf8.reduce(1) { $0 + Int($1) }
    self.init(
      ReachabilityInterface(name: name, index: index, kind: kind, isTunnel: isTunnel), gateways: gateways)
  }
}
