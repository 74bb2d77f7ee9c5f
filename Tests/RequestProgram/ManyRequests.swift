// SPDX-License-Identifier: Apache-2.0
import Foundation
import ReachabilityHTTP
import Synchronization
import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `many URL COUNT SEED`: makes this many waiting requests in three sessions, one after the other, and prints how many
/// were answered.
///
/// Each has a random method, and requests a random behaviour of the test server instead of an answer. Two of the
/// sessions have delegates: one follows redirects and answers challenges, the other refuses both.
func many(_ words: ArraySlice<String>) async throws -> Never {
  let words = Array(words)
  guard words.count == 3, let base = URL(string: words[0]), let count = Int(words[1]),
    var random = UInt64(words[2]).map(SeededGenerator.init)
  else { throw ProgramError(description: "a URL, a count and a seed are required") }
  let configuration = URLSessionConfiguration.default
  configuration.timeoutIntervalForRequest = 2
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 1
  let sessions = [nil, "login", "refuse"].map { word in
    URLSession(
      configuration: configuration, delegate: word.map { AnsweringDelegate($0, on: queue) },
      delegateQueue: queue)
  }
  let kinds = [
    "fine", "fine", "drop", "reset", "late", "close", "moved", "interim", "away", "moved-drop", "login",
    "login-drop",
  ]
  let methods = ["GET", "POST", "bare", "PATCH", "PUT", "DELETE", "stream", "upload"]
  var answered = 0
  for number in 0..<count {
    let kind = kinds[Int.random(in: kinds.indices, using: &random)]
    let method = methods[Int.random(in: methods.indices, using: &random)]
    let session = sessions[Int.random(in: sessions.indices, using: &random)]
    var request = URLRequest(url: base.appending(path: "\(kind)/\(number)"))
    request.httpMethod = ["bare", "stream", "upload"].contains(method) ? "POST" : method
    if ["POST", "PATCH", "PUT"].contains(method) { request.httpBody = Data("body \(number)".utf8) }
    if method == "stream" { request.httpBodyStream = InputStream(data: Data("stream \(number)".utf8)) }
    let deadline = ContinuousClock.now + .seconds(2)
    do {
      if method == "upload" {
        _ = try await session.upload(
          for: request, from: Data("upload \(number)".utf8), waitingForConnectivity: true, deadline: deadline,
          jitter: .zero)
      } else {
        _ = try await session.data(
          for: request, waitingForConnectivity: true, deadline: deadline, jitter: .zero)
      }
      answered += 1
    } catch is URLError {
      continue
    }
  }
  print("\(answered) of \(count) answered")
  exit(0)
}

/// `uploads URL COUNT LIMIT`: uploads concurrently in one session with this many connections to a host, and prints how
/// many were answered.
func uploads(_ words: ArraySlice<String>) async throws -> Never {
  let words = Array(words)
  guard words.count == 3, let base = URL(string: words[0]), let count = Int(words[1]),
    let limit = Int(words[2])
  else { throw ProgramError(description: "a URL, a count and a limit are required") }
  let configuration = URLSessionConfiguration.ephemeral
  configuration.httpMaximumConnectionsPerHost = limit
  let session = URLSession(configuration: configuration)
  let answered = await withTaskGroup(of: Bool.self) { group in
    for number in 0..<count {
      group.addTask {
        var request = URLRequest(url: base.appending(path: "\(number)"))
        request.httpMethod = "PUT"
        return await
          (try? session.upload(for: request, from: Data("sent".utf8), waitingForConnectivity: true)) != nil
      }
    }
    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
  }
  say("\(answered) of \(count) answered")
  exit(0)
}

/// `cancel URL COUNT SEED [plain]`: makes this many requests, each cancelled about when its answer arrives, and prints
/// whether some were answered and some cancelled; with `plain` by the session's own call.
func cancel(_ words: ArraySlice<String>) async throws -> Never {
  let words = Array(words)
  let waits = words.last != "plain"
  guard words.count >= 3, let url = URL(string: words[0]), let count = Int(words[1]),
    let seed = UInt64(words[2])
  else { throw ProgramError(description: "a URL, a count and a seed are required") }
  let session = URLSession(configuration: .ephemeral)
  let width = 8
  let results = await withTaskGroup(of: (answered: Int, cancelled: Int).self) { group in
    for number in 0..<width {
      group.addTask {
        var random = SeededGenerator(seed: seed + UInt64(number))
        var result = (0, 0)
        for _ in 0..<count / width {
          var request = URLRequest(url: url)
          request.httpMethod = Bool.random(using: &random) ? "GET" : "POST"
          let task = Task { [request] in
            waits
              ? try await session.data(for: request, waitingForConnectivity: true)
              : try await session.data(for: request)
          }
          try? await Task.sleep(for: .microseconds(Int.random(in: 0..<20_000, using: &random)))
          task.cancel()
          if (try? await task.value) == nil { result.1 += 1 } else { result.0 += 1 }
        }
        return result
      }
    }
    return await group.reduce((0, 0)) { ($0.0 + $1.answered, $0.1 + $1.cancelled) }
  }
  say(results.0 > 0 && results.1 > 0 ? "answered and cancelled" : "\(results)")
  exit(0)
}

/// `cancelled COUNT`: starts this many waiting requests in cancelled tasks, then invalidates the session.
///
/// Prints the growth of memory in KB after the session has ended.
func cancelled(_ words: ArraySlice<String>) async throws -> Never {
  guard let count = words.first.flatMap(Int.init), let url = URL(string: "http://127.0.0.1:9/") else {
    throw ProgramError(description: "a count is required")
  }
  let (ending, isOver) = AsyncStream.makeStream(of: Void.self)
  let session = URLSession(configuration: .ephemeral, delegate: EndOfSession(isOver), delegateQueue: nil)
  func round(_ count: Int) async {
    for _ in 0..<count {
      let task = Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        _ = try? await session.data(from: url, waitingForConnectivity: true)
      }
      await task.value
    }
  }
  await round(100)
  let before = try memoryPeak()
  await round(count)
  session.finishTasksAndInvalidate()
  for await _ in ending {}
  print(try memoryPeak() - before)
  exit(0)
}

/// A delegate that reports the end of its session.
private final class EndOfSession: NSObject, URLSessionDelegate, Sendable {
  private let isOver: AsyncStream<Void>.Continuation

  init(_ isOver: AsyncStream<Void>.Continuation) { self.isOver = isOver }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { isOver.finish() }
}
