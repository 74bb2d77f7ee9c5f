import CommandLineSupport
import ReachabilityKit

extension ReachabilityStatus {
  /// The exit status of a command whose only target has this status.
  var exitStatus: Int32 {
    switch state {
    case .reachable: ExitStatus.success
    case .notReachable: ExitStatus.negative
    case .unknown: ExitStatus.trouble
    }
  }
}
