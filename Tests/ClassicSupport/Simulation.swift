import ReachabilityKit
public import ReachabilityTesting
import SystemConfiguration

/// Has all targets that are made in a closure be about a simulated network.
public func simulating<T>(_ network: SimulatedNetwork, _ make: () throws -> T) rethrows -> T {
  try SCNetworkReachability.$monitor.withValue(ReachabilityMonitor(simulating: network), operation: make)
}
