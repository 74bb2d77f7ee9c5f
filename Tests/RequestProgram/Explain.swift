// SPDX-License-Identifier: Apache-2.0
import Foundation
import ReachabilityHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `explain URL [SECONDS [wait]]`: requests the URL, and prints the error's code and its explanation.
///
/// With `wait` the explanation is made after the host is reachable again.
func explain(_ words: [String]) async throws {
  guard let url = words.first.flatMap({ URL(string: $0) }) else {
    fatalError("the URL is missing")
  }
  let monitor = ReachabilityMonitor.shared
  let configuration = URLSessionConfiguration.ephemeral
  configuration.timeoutIntervalForRequest = words.count > 1 ? TimeInterval(words[1]) ?? 10 : 10
  do {
    _ = try await URLSession(configuration: configuration).data(from: url)
    print("no error")
  } catch {
    say("code \((error as? URLError)?.errorCode ?? 0)")
    if words.last == "wait" {
      try await monitor.waitUntilReachable(ReachabilityTarget(url.absoluteString), timeout: .seconds(20))
    }
    let failure = try await monitor.explain(error, for: url)
    say("\(failure.cause) \(failure.agreement) \(failure.step?.kind.rawValue ?? "-")")
    say(failure.summary)
  }
}
