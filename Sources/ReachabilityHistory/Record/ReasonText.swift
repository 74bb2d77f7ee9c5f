import ReachabilityKit

/// The words for the raw values of reasons.
package enum ReasonText {
  /// The reason in words; the raw value of one that this version does not know.
  package static func words(_ reason: String) -> String {
    switch reason {
    case "captivePortal": "a captive portal answered"
    case "unexpected": "an unexpected answer"
    case "notConnected": "no answer"
    case "timedOut": "no answer in time"
    default: ReachabilityStatus.Reason(rawValue: reason)?.description ?? reason
    }
  }
}
