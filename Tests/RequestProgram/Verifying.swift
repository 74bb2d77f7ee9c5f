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

/// What the program was not told.
struct ProgramError: Error, CustomStringConvertible {
  var description: String
}
