// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import LiveSupport
import ReachabilityKit

extension Connection {
  /// The local address that the kernel chose.
  var local: ReachabilityAddress? { ReachabilityAddress(octets: source) }

  /// Returns what contradicts a status, or `nil` if nothing does.
  ///
  /// A socket ignores carriers, and an IPv4 socket that is bound to an interface treats every destination as on the
  /// link. So this check is weaker than the oracle, but its reference is the kernel.
  func complaint(about status: ReachabilityStatus, of target: ReachabilityTarget, _ hasSeveralHops: Bool)
    -> String?
  {
    guard errorNumber == 0 else { return status.isReachable ? "refused" : nil }
    // A socket that is bound to a broadcast address does not send from there.
    if let source = target.source, source != local { return status.isReachable ? "another source" : nil }
    guard status.isReachable else {
      switch status.reason {
      case .noCarrier, .interfaceDown, .linkDormant: return nil
      // The oracle knows where the kernel names no route.
      case .systemError where status.state == .unknown: return nil
      // A route over the loopback interface, or a link without IPv6, discards packets later.
      case .blackhole where status.interface != nil: return nil
      case .sourceAddressMissing:
        guard let local, !local.isUnspecified, target.source != nil || !local.isLoopback else { return nil }
        return "the kernel chose a source"
      default:
        if target.interface != nil, case .address(.v4) = target.destination { return nil }
        return "connected"
      }
    }
    guard !hasSeveralHops, let source = status.source, source != local else { return nil }
    return "another source"
  }
}

extension Connection {
  /// The error number, or the source.
  var text: String { errorNumber == 0 ? "from \(local?.description ?? "nowhere")" : "error \(errorNumber)" }
}
