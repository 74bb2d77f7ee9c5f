import ReachabilityKit
public import ReachabilityTesting
import SystemConfiguration

/// Runs a closure whose new targets belong to a simulated network.
public func simulating<T>(_ network: SimulatedNetwork, _ make: () throws -> T) rethrows -> T {
  try SCNetworkReachability.$monitor.withValue(ReachabilityMonitor(simulating: network), operation: make)
}
