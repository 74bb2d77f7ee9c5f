// SPDX-License-Identifier: Apache-2.0
import AFNetworkReachability
import AppleReachability
import Dispatch
import Foundation
import NetworkPathMonitor
import Observation
import ReachabilityHTTP
import ReachabilityKit
import ReachabilityModels
import ReachabilityTesting
import SystemConfiguration
import TMReachability
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What an app shows, observed by its views.
@Observable final class Connectivity {
  var status: ReachabilityStatus = .unknown(.resolving)
  var path: ReachabilityPath?
  var reason: ReachabilityStatus.Reason? { status.reason }
  @ObservationIgnored var observation: ReachabilityObservation?
}

@Suite struct EverythingTests {
  @Test func `one file can use every library beside an Observable class`() throws {
    let network = SimulatedNetwork(.notReachable(.noRoute))
    let connectivity = Connectivity()
    connectivity.status = ReachabilityMonitor(simulating: network).currentStatus(of: .defaultRoute)
    #expect(connectivity.reason == .noRoute)
    #expect(try ReachabilityTarget("example.com") == ReachabilityTarget("EXAMPLE.com"))
    let cause = ReachabilityFailure.Cause(URLError(.notConnectedToInternet))
    #expect(cause == .noRoute)
    #expect(AFNetworkReachabilityStatus.unknown.rawValue == -1)
    #expect(SCNetworkReachabilityFlags.reachable.rawValue == 2)
    #expect(AppleReachability.kReachabilityChangedNotification.rawValue.isEmpty == false)
    #expect(TMReachability.Reachability.forInternetConnection() != nil)
    let verified = [ReachabilityVerification.Report?](repeating: nil, count: 1)
    #expect(verified == [nil])
    #expect(NWPathMonitor().currentPath.status == .unsatisfied)
    #expect(ReachabilityAddress("10.1.0.1") == "10.1.0.1")
    #expect(DispatchQueue(label: "client").sync { connectivity.path } == nil)
  }

  @Test @MainActor func `a view's model shows the simulated network`() {
    let network = SimulatedNetwork(.notReachable(.noRoute))
    let model = ReachabilityStatusModel(of: .defaultRoute, monitor: ReachabilityMonitor(simulating: network))
    #expect(model.status.reason == .noRoute)
  }
}
