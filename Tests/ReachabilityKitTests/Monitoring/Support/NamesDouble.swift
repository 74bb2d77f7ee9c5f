// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TestSupport

@testable import ReachabilityKit

/// A scripted resolver: a lookup lasts until the test provides an answer for the name.
final class NamesDouble: NameService {
  private struct State {
    var answers: [ReachabilityTarget.HostName: NameAnswer] = [:]
    var waiting: [ReachabilityTarget.HostName: [DispatchSemaphore]] = [:]
    var running = 0
    var mostAtOnce = 0
  }

  /// The names, each when its lookup begins.
  let asked = Log<String>()
  private let state = Mutex(State())

  /// - Parameter answers: The names that are answered immediately; lookups of all other names are stuck.
  init(_ answers: [String: NameAnswer] = [:]) {
    state.withLock { state in
      for (name, answer) in answers { state.answers[ReachabilityTarget.HostName(literal: name)] = answer }
    }
  }

  /// The highest number of concurrent lookups so far.
  var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

  /// Answers the lookups of a name from now on, and those that are stuck; `nil` for none.
  func set(_ text: String, _ answer: NameAnswer?) {
    let name = ReachabilityTarget.HostName(literal: text)
    let waiting = state.withLock { state in
      state.answers[name] = answer
      return answer == nil ? [] : state.waiting.removeValue(forKey: name) ?? []
    }
    for semaphore in waiting { semaphore.signal() }
  }

  /// Ends all lookups, so that no thread outlasts its test.
  func end() {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      for name in state.waiting.keys { state.answers[name] = .failure(.systemError) }
      return state.waiting.values.flatMap(\.self)
    }
    for semaphore in waiting { semaphore.signal() }
  }

  func addresses(of name: ReachabilityTarget.HostName) -> NameAnswer {
    let semaphore = DispatchSemaphore(value: 0)
    let isKnown = state.withLock { state in
      state.running += 1
      state.mostAtOnce = max(state.mostAtOnce, state.running)
      if state.answers[name] != nil { return true }
      state.waiting[name, default: []].append(semaphore)
      return false
    }
    asked.append(name.text)
    if !isKnown { semaphore.wait() }
    return state.withLock { state in
      state.running -= 1
      return state.answers[name] ?? .failure(.systemError)
    }
  }

  func startLookupThread(named name: String, _ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread(body)
  }
}
