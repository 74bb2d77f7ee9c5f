// SPDX-License-Identifier: Apache-2.0
import Foundation
import ReachabilityHTTP
import ReachabilityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `verify KIND WORD URL…`: verifies expectations and requests without a command-line option; prints each verdict, then the
/// state.
func verify(_ words: ArraySlice<String>) async throws -> Never {
  guard let kind = words.first, let word = words.dropFirst().first else {
    throw ProgramError(description: "a kind of expectation and its value are required")
  }
  let expectation: ReachabilityVerification.Expectation
  var limit: TimeInterval?
  var method = "GET"
  switch kind {
  case "method":
    expectation = .satisfying("no body") { _, body in body.isEmpty }
    method = word
  case "limit":
    expectation = .success
    limit = TimeInterval(word)
  case "header": expectation = .header("X-Served-By", equals: word)
  case "equals": expectation = .body(equals: word)
  case "matches": expectation = try .body(matches: word)
  case "closure":
    expectation = .satisfying("a length of \(word)") { response, body in
      response.value(forHTTPHeaderField: "Content-Length") == word && String(body.count) == word
    }
  default: throw ProgramError(description: "unknown expectation '\(kind)'")
  }
  let endpoints = words.dropFirst(2).compactMap { URL(string: $0) }.map { url in
    var request = URLRequest(url: url)
    request.httpMethod = method
    if let limit { request.timeoutInterval = limit }
    return ReachabilityVerification.Endpoint.request(request, expecting: expectation)
  }
  let report = try await ReachabilityMonitor.shared.verify(ReachabilityVerification(endpoints, .any)) {
    print($0.verdict)
  }
  print(report.state)
  exit(0)
}

/// `memory URL OTHER`: verifies the first URL, then four times the other one, for a text that it does not contain.
///
/// Prints the growth of the peak memory in KB.
func memory(_ words: ArraySlice<String>) async throws -> Never {
  let urls = words.compactMap { URL(string: $0) }
  guard urls.count == 2 else { throw ProgramError(description: "two URLs are required") }
  let expectation = ReachabilityVerification.Expectation.body(contains: "an absent text")
  let monitor = ReachabilityMonitor.shared
  _ = try await monitor.verify(ReachabilityVerification([.url(urls[0], expecting: expectation)]))
  let before = try memoryPeak()
  for _ in 0..<4 {
    let report = try await monitor.verify(ReachabilityVerification([.url(urls[1], expecting: expectation)]))
    switch report.outcomes.first?.verdict {
    case .unexpected: continue
    default: throw ProgramError(description: "\(report.outcomes)")
    }
  }
  print(try memoryPeak() - before)
  exit(0)
}

/// `crowd URL [OTHER]`: makes 128 attempts for one URL with a timeout of 50 ms, and prints the number of threads after
/// them, or the verdict on the other URL with a timeout of 500 ms.
func crowd(_ words: ArraySlice<String>) async throws -> Never {
  guard let url = words.first.flatMap({ URL(string: $0) }) else {
    throw ProgramError(description: "a URL is required")
  }
  let endpoints = Array(repeating: ReachabilityVerification.Endpoint.url(url), count: 16)
  for _ in 0..<8 {
    let verification = ReachabilityVerification(endpoints, .any, timeout: .milliseconds(50))
    let report = try await ReachabilityMonitor.shared.verify(verification)
    guard report.outcomes.allSatisfy({ $0.verdict == .timedOut }) else {
      throw ProgramError(description: "\(report.outcomes)")
    }
  }
  guard let other = words.dropFirst().first.flatMap({ URL(string: $0) }) else {
    print(try ownStatus("Threads"))
    exit(0)
  }
  let verification = ReachabilityVerification([.url(other)], timeout: .milliseconds(500))
  print(try await ReachabilityMonitor.shared.verify(verification).outcomes.map(\.verdict))
  exit(0)
}

/// The peak memory of this process in KB.
func memoryPeak() throws -> Int { try ownStatus("VmHWM") }

/// A number in the status of this process (`/proc/self/status`).
private func ownStatus(_ name: String) throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
  guard let number = Int(line.filter(\.isNumber)) else {
    throw ProgramError(description: "no \(name) in '\(status)'")
  }
  return number
}

/// A missing or unknown argument.
struct ProgramError: Error, CustomStringConvertible {
  var description: String
}
