// SPDX-License-Identifier: Apache-2.0
import POSIX

/// Returns the source for this operating system.
func systemNetworkSource() throws(ReachabilityMonitorError) -> any NetworkSource {
  #if os(Linux)
  try LinuxNetworkSource()
  #elseif canImport(Darwin)
  AppleNetworkSource()
  #else
  throw ReachabilityMonitorError(
    .systemUnavailable,
    description: "this operating system is not supported; only Linux and Apple platforms are")
  #endif
}

/// The source of a system that cannot be queried: every status is unknown.
final class UnavailableSource: NetworkSource {
  let failure: ReachabilityMonitorError
  private let wakeUp = WakeUpSignal()

  init(_ failure: ReachabilityMonitorError) { self.failure = failure }

  func evaluate(_ target: ReachabilityTarget) -> Evaluation { Evaluation(.unknown(.systemError)) }

  func evaluatePath() -> PathEvaluation { .unknown(for: nil) }

  func watch(_ subjects: Subscriptions) {}

  func waitForChange(until deadline: Moment?) -> NetworkChange { wakeUp.wait(until: deadline) }

  func wake() { wakeUp.send(isChange: false) }
}

#if os(Linux)
extension ReachabilityMonitor {
  /// Makes a monitor for tests of the kernel's filter for announcements.
  ///
  /// - Parameter unrelatedRouteLimit: The number of unrelated routes after which the filter is attached at the latest.
  package convenience init(unrelatedRouteLimit: Int) throws(ReachabilityMonitorError) {
    self.init(source: try LinuxNetworkSource(unrelatedRouteLimit: unrelatedRouteLimit))
  }
}
#endif
