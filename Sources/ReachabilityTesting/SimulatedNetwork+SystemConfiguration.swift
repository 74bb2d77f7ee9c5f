// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import ReachabilityKit

extension SimulatedNetwork {
  /// Runs a closure in which this is the network of the modules `SystemConfiguration` and `NetworkPathMonitor`.
  ///
  /// Each `SCNetworkReachability` and `NWPathMonitor` that the closure creates belongs to this network as long as it
  /// exists, and so does each classic manager: `AFNetworkReachabilityManager` and both classes `Reachability`. A shared manager belongs to
  /// the network of its first use. Code that the closure starts on another queue or thread uses the real network.
  ///
  /// Only on Linux: on Apple platforms the functions belong to the system.
  public func withSystemConfiguration<T>(_ body: () throws -> T) rethrows -> T {
    try ReachabilityMonitor.$substitute.withValue(ReachabilityMonitor(simulating: self), operation: body)
  }

  /// Runs an asynchronous closure in which this is the network of the modules `SystemConfiguration` and
  /// `NetworkPathMonitor`.
  ///
  /// Targets and monitors of the closure's child tasks belong to this network, too.
  public func withSystemConfiguration<T>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
  ) async rethrows -> T {
    try await ReachabilityMonitor.$substitute.withValue(
      ReachabilityMonitor(simulating: self), operation: body)
  }
}
#endif
