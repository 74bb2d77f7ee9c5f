import Foundation
import Reachability
import ReachabilityHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `verify KIND WORD URL…`: verifies what the command has no options for, prints each outcome as it comes, then the state.
func verify(_ words: ArraySlice<String>) async throws -> Never {
  guard let kind = words.first, let word = words.dropFirst().first else {
    throw ProgramError(description: "a kind of expectation and a word of it are missing")
  }
  let expectation: HTTPExpectation
  switch kind {
  case "header": expectation = .header("X-Served-By", equals: word)
  case "equals": expectation = .body(equals: word)
  case "matches": expectation = try .body(matches: word)
  case "closure":
    expectation = .satisfying("a length of \(word)") { response, body in
      response.value(forHTTPHeaderField: "Content-Length") == word && String(body.count) == word
    }
  default: throw ProgramError(description: "there is no expectation '\(kind)'")
  }
  let endpoints = words.dropFirst(2).compactMap { URL(string: $0) }.map { url in
    Verification.Endpoint.url(url, expecting: expectation)
  }
  let report = try await NetworkMonitor.shared.verify(Verification(endpoints, .any)) { print($0.verdict) }
  print(report.state)
  exit(0)
}

/// `memory URL OTHER`: verifies one address, then the other four times for a text that is not there, and prints by how many KB
/// that took more memory at some moment.
func memory(_ words: ArraySlice<String>) async throws -> Never {
  let urls = words.compactMap { URL(string: $0) }
  guard urls.count == 2 else { throw ProgramError(description: "two addresses are missing") }
  let expectation = HTTPExpectation.body(contains: "a text that is not there")
  let monitor = try NetworkMonitor.shared
  _ = try await monitor.verify(Verification([.url(urls[0], expecting: expectation)]))
  let before = try memoryPeak()
  for _ in 0..<4 {
    let report = try await monitor.verify(Verification([.url(urls[1], expecting: expectation)]))
    switch report.outcomes.first?.verdict {
    // The session before may still be reading, which Foundation for Linux can't stop at once.
    case .unexpected, .timedOut: continue
    default: throw ProgramError(description: "\(report.outcomes)")
    }
  }
  print(try memoryPeak() - before)
  exit(0)
}

/// The most memory that this process has had at some moment, in KB.
private func memoryPeak() throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
  guard let peak = Int(line.filter(\.isNumber)) else {
    throw ProgramError(description: "no peak in '\(status)'")
  }
  return peak
}

/// What the program was not told.
struct ProgramError: Error, CustomStringConvertible {
  var description: String
}
