import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ReachabilityVerification.CaptivePortal {
  /// Reads an answer of the network's portal API, and judges it.
  static func judge(
    _ answer: HTTPAnswer, from url: URL
  ) -> (portal: ReachabilityVerification.CaptivePortal?, verdict: ReachabilityVerification.Outcome.Verdict) {
    let type = answer.response.value(forHTTPHeaderField: "Content-Type") ?? ""
    let essence = type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    if answer.response.statusCode == 511 {
      return (nil, ReachabilityVerification.Expectation.success.verdict(on: answer, from: url))
    }
    let status = ReachabilityVerification.Expectation.status(200)
    if let mismatch = status.mismatch(answer.response, answer.body) {
      return (nil, .unexpected(expected: mismatch.expected, found: mismatch.found))
    }
    guard essence == mediaType else {
      return (nil, .unexpected(expected: "the type \(mediaType)", found: "'\(type.excerpt)'"))
    }
    guard let portal = ReachabilityVerification.CaptivePortal(json: answer.body) else {
      return (nil, .unexpected(expected: "a JSON object as in RFC 8908", found: "other content"))
    }
    return (portal, portal.isCaptive ? .captivePortal(portal.userPortalURL) : .passed)
  }
}
