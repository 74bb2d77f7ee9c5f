// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct FilterPolicyTests {
  private let threshold = FilterPolicy.threshold

  @Test func `a filter pays after as many unrelated routes as there are addresses`() {
    var interest = FilterPolicy()
    let count = 2 * threshold
    let answers = [threshold, threshold - 1, 1].map {
      interest.wantsFilter(after: $0, observing: count)
    }
    #expect(answers == [false, false, true])
  }

  @Test func `a few addresses take as many unrelated routes as the threshold`() {
    var interest = FilterPolicy()
    let answers = [threshold - 1, 1].map { interest.wantsFilter(after: $0, observing: 1) }
    #expect(answers == [false, true])
  }

  @Test func `a limit applies however many addresses there are`() {
    var interest = FilterPolicy(limit: 8)
    let answers = [7, 1].map { interest.wantsFilter(after: $0, observing: 1000) }
    #expect(answers == [false, true])
  }

  @Test func `a filter is replaced only after addresses changed, and routes are counted anew`() {
    var interest = FilterPolicy()
    interest.recordFilter(passing: ["10.9.0.1"], isAccepted: true)
    #expect(interest.wantsFilter(after: threshold, observing: 1) == false)
    interest.recordChange()
    #expect(interest.wantsFilter(after: 0, observing: 1) == true)
    interest.recordFilter(passing: ["10.9.0.1"], isAccepted: true)
    #expect(interest.wantsFilter(after: threshold, observing: 1) == false)
  }

  @Test func `a change counts until the filter is replaced`() {
    var interest = FilterPolicy()
    interest.recordFilter(passing: ["10.9.0.1"], isAccepted: true)
    interest.recordChange()
    let answers = [threshold - 1, 1].map { interest.wantsFilter(after: $0, observing: 1) }
    #expect(answers == [false, true])
  }

  @Test func `a removed filter comes back after as many unrelated routes as before`() {
    var interest = FilterPolicy()
    interest.recordFilter(passing: ["10.9.0.1"], isAccepted: true)
    interest.recordRemoval()
    let answers = [threshold - 1, 1].map { interest.wantsFilter(after: $0, observing: 1) }
    #expect(answers == [false, true])
  }

  @Test func `a kernel that refuses filters is asked once`() {
    var interest = FilterPolicy(limit: 1)
    interest.recordFilter(passing: ["10.9.0.1"], isAccepted: false)
    interest.recordChange()
    #expect(interest.wantsFilter(after: threshold, observing: 1) == false)
    #expect(interest.missed(["10.9.0.2"]) == [])
  }

  @Test func `a filter misses all addresses that it does not pass, and none without it`() {
    var interest = FilterPolicy()
    #expect(interest.missed(["10.9.0.1"]) == [])
    interest.recordFilter(passing: ["10.9.0.1", "2001:db8::1"], isAccepted: true)
    #expect(interest.missed(["2001:db8::1", "10.9.0.2", "10.9.0.1"]) == ["10.9.0.2"])
    interest.recordRemoval()
    #expect(interest.missed(["10.9.0.2"]) == [])
  }

  // MARK: The count of routes

  /// Announces routes, each in a change of its own, and returns the number of filters that the socket had at the end.
  private func filters(after routes: Int, limit: Int, _ respond: (inout LinuxWatch) -> Void) throws -> Int {
    let network = ScriptedNetwork.withOneLink()
    let tracker = NetworkTracker(events: network.events(), questions: network.questions())
    var watch = LinuxWatch(tracker, files: WatchedFiles([]), interest: FilterPolicy(limit: limit))
    _ = try watch.watch(.network)
    watch.setObserved(ObservedAddresses(count: 1) { ["10.9.0.1"] })
    _ = watch.readChange(isAfterSleep: false, isOfPolicies: false)
    for _ in 0..<routes {
      network.change(.route(.to("10.9.0.0", 16)))
      let change = watch.readChange(isAfterSleep: false, isOfPolicies: false)
      #expect(!change.isQuiet)
      respond(&watch)
      _ = watch.prepareToWait(until: nil)
    }
    return network.filters
  }

  @Test func `a route that no evaluation follows is unrelated`() throws {
    let few = try filters(after: 7, limit: 8) { _ in }
    let enough = try filters(after: 8, limit: 8) { _ in }
    let ofTarget = try filters(after: 8, limit: 8) { _ = $0.evaluate([.address("10.9.0.1")]) }
    let ofPath = try filters(after: 8, limit: 8) { _ = $0.evaluatePath([]) }
    #expect([few, enough, ofTarget, ofPath] == [0, 1, 0, 0])
  }
}
#endif
