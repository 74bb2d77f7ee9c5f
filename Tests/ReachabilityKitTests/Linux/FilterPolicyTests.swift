#if os(Linux)
import DeadlineSupport
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct FilterPolicyTests {
  private let threshold = FilterPolicy.threshold

  private func observed(
    _ count: Int = 1, unrelatedRoutes: Int, hasRemovals: Bool = false
  ) -> ObservedAddresses {
    ObservedAddresses(count: count, hasRemovals: hasRemovals, unrelatedRoutes: unrelatedRoutes) { [] }
  }

  @Test func `a filter pays after as many unrelated routes as there are addresses`() {
    var interest = FilterPolicy()
    let count = 2 * threshold
    let answers = [threshold, threshold - 1, 1].map {
      interest.wantsFilter(for: observed(count, unrelatedRoutes: $0))
    }
    #expect(answers == [false, false, true])
  }

  @Test func `a few addresses take as many unrelated routes as the threshold`() {
    var interest = FilterPolicy()
    let answers = [threshold - 1, 1].map { interest.wantsFilter(for: observed(unrelatedRoutes: $0)) }
    #expect(answers == [false, true])
  }

  @Test func `a limit applies however many addresses there are`() {
    var interest = FilterPolicy(limit: 8)
    let answers = [7, 1].map { interest.wantsFilter(for: observed(1000, unrelatedRoutes: $0)) }
    #expect(answers == [false, true])
  }

  @Test func `a filter is narrowed only after a removal, and routes are counted anew`() {
    var interest = FilterPolicy()
    interest.recordFilter(passing: ["10.9.0.1"], isAccepted: true)
    let answers = [
      interest.wantsFilter(for: observed(unrelatedRoutes: threshold)),
      interest.wantsFilter(for: observed(unrelatedRoutes: 0, hasRemovals: true)),
    ]
    #expect(answers == [false, true])
    interest.recordFilter(passing: ["10.9.0.1"], isAccepted: true)
    #expect(interest.wantsFilter(for: observed(unrelatedRoutes: threshold)) == false)
  }

  @Test func `a removal counts until the filter is narrowed`() {
    var interest = FilterPolicy()
    interest.recordFilter(passing: ["10.9.0.1"], isAccepted: true)
    let answers = [
      interest.wantsFilter(for: observed(unrelatedRoutes: threshold - 1, hasRemovals: true)),
      interest.wantsFilter(for: observed(unrelatedRoutes: 1)),
    ]
    #expect(answers == [false, true])
  }

  @Test func `a removed filter comes back after as many unrelated routes as before`() {
    var interest = FilterPolicy()
    interest.recordFilter(passing: ["10.9.0.1"], isAccepted: true)
    interest.recordRemoval()
    let answers = [threshold - 1, 1].map { interest.wantsFilter(for: observed(unrelatedRoutes: $0)) }
    #expect(answers == [false, true])
  }

  @Test func `a kernel that refuses filters is asked once`() {
    var interest = FilterPolicy(limit: 1)
    interest.recordFilter(passing: ["10.9.0.1"], isAccepted: false)
    #expect(interest.wantsFilter(for: observed(unrelatedRoutes: threshold, hasRemovals: true)) == false)
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
}
#endif
