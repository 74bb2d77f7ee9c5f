// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import POSIX
import TestSupport
import Testing
@testable import Netlink
@testable import ReachabilityKit

/// A tracker that remembers answers, compared with new ones, which remember none.
@Suite(.deadline) struct LookupCacheTests {
  @Test(arguments: 0..<10, [false, true])
  func `a tracker with a cache evaluates as one without`(_ seed: UInt64, isWatched: Bool) throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    var randomness = SeededGenerator(seed: seed)
    for step in 0..<300 {
      if let event = randomness.event() { network.change(event) }
      for destination in [randomness.destination(), randomness.destination()] {
        network.setRoute(to: destination, randomness.answer(about: destination))
      }
      let targets = Array(repeating: randomness.target(), count: isWatched && randomness.chance(4) ? 2 : 1)
      func evaluate(_ tracker: inout NetworkTracker) -> [Evaluation] {
        isWatched ? tracker.evaluateObserved(targets) : [tracker.evaluate(targets[0])]
      }
      let evaluations = evaluate(&tracker)
      // All announcements are read, so the second tracker knows only the tables.
      var second = try network.watchingTracker()
      #expect(evaluations == evaluate(&second), "step \(step), \(targets)")
    }
  }

  /// The number of lookups.
  private func lookups(_ network: ScriptedNetwork) -> Int {
    network.steps.count { $0 == .asked(.getRoute) }
  }

  @Test func `a remembered evaluation takes the same queries`() throws {
    let network = ScriptedNetwork.withOneLink()
    var randomness = SeededGenerator(seed: 0)
    for isWatched in [false, true] {
      var tracker = try network.watchingTracker()
      for isRoute in [true, false, true, false] {
        var counts: [Int] = []
        for _ in 0..<3 {
          for destination in DefaultRoute.addresses {
            network.setRoute(to: destination, isRoute ? randomness.route(0) : .failure(.networkUnreachable))
          }
          let before = lookups(network)
          let evaluation =
            isWatched ? tracker.evaluateObserved([.defaultRoute])[0] : tracker.evaluate(.defaultRoute)
          #expect(evaluation.status.isReachable == isRoute)
          counts.append(lookups(network) - before)
        }
        #expect(Set(counts.dropFirst()) == [isRoute ? 2 : 4], "\(counts)")
      }
    }
  }

  @Test func `the first query of a remembered evaluation is sent alone, and the others together`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    for destination in DefaultRoute.addresses {
      network.setRoute(to: destination, .failure(.networkUnreachable))
    }
    let first = tracker.evaluateObserved([.defaultRoute])
    var before = (lookups(network), network.sends)
    #expect(tracker.evaluateObserved([.defaultRoute]) == first)
    #expect((lookups(network) - before.0, network.sends - before.1) == (4, 2))
    // One of the others has another answer: what follows is queried again.
    network.setRoute(to: "2000::", .failure(.hostUnreachable))
    before = (lookups(network), network.sends)
    var second = try network.watchingTracker()
    #expect(tracker.evaluateObserved([.defaultRoute]) == second.evaluateObserved([.defaultRoute]))
    #expect(lookups(network) - before.0 > 4)
  }

  /// The refusal with an error number.
  private func refusal(_ number: UInt8) throws -> KnownAnswer {
    let bytes: [UInt8] = [20, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0 &- number, 255, 255, 255]
    var messages = MessageReader(in: bytes.indices)
    let message = try #require(try messages.next(RawSpan(_elements: bytes.span)))
    let known = KnownAnswer(message, of: RawSpan(_elements: bytes.span))
    return try #require(known)
  }

  /// A cache of three courses of the default route, whose answers are refusals with these numbers.
  private func cache(_ courses: [[UInt8]]) throws -> LookupCache {
    var cache = LookupCache()
    let questions = [RouteRequest("0.0.0.1"), RouteRequest("0.0.0.1", form: .entry)]
    for numbers in courses {
      cache.beginRecording()
      for (question, number) in zip(questions, numbers) {
        let known = try refusal(number)
        cache.record(question, .failure(.trouble)) { known }
      }
      let subject = LookupCache.Subject(.defaultRoute, isWatched: false)
      cache.endRecording(of: subject, Evaluation(.notReachable(.noRoute)))
    }
    return cache
  }

  @Test func `a course goes on only with the same answers from its beginning`() throws {
    let cache = try cache([[101, 113], [22, 101], [101, 22]])
    let subject = LookupCache.Subject(.defaultRoute, isWatched: false)
    let others = [
      LookupCache.Subject(.defaultRoute, isWatched: true),
      LookupCache.Subject(.address("10.9.0.1"), isWatched: false),
    ]
    let known = try [101, 22, 113].map { try refusal($0) }
    #expect(others.map { other in cache.entry(of: other) { _ in true } } == [nil, nil])
    #expect(known.map { one in cache.entry(of: subject) { $0.known == one } } == [0, 1, nil])
    #expect(known.map { one in cache.entry(of: subject, at: 1) { $0.known == one } } == [nil, 2, 0])
    #expect(
      known.map { one in cache.entry(of: subject, like: 1, at: 1) { $0.known == one } } == [1, nil, nil])
    #expect(cache.entry(of: subject, at: 2) { _ in true } == nil)
  }

  @Test func `a course with a lifetime, without bytes or with an unknown status is not remembered`() throws {
    var cache = try cache([])
    let subject = LookupCache.Subject(.defaultRoute, isWatched: true)
    let (known, question) = try (refusal(22), RouteRequest("0.0.0.1"))
    let noRoute = Evaluation(.notReachable(.noRoute))
    for evaluation in [
      Evaluation(noRoute.status, lifetime: .seconds(9)), Evaluation(.unknown(.systemError)), nil,
    ] {
      cache.beginRecording()
      cache.record(question, .failure(.invalid)) { known }
      cache.endRecording(of: subject, evaluation)
    }
    cache.beginRecording()
    cache.endRecording(of: subject, noRoute)
    cache.beginRecording()
    cache.record(question, .failure(.invalid)) { nil }
    cache.record(question, .failure(.invalid)) { known }
    cache.endRecording(of: subject, noRoute)
    #expect(cache.entries.isEmpty)
    cache.beginRecording()
    cache.record(question, .failure(.invalid)) { known }
    cache.removeAll()
    cache.endRecording(of: subject, noRoute)
    #expect(cache.entries.isEmpty)
  }

  @Test func `an answer is remembered for ordinary addresses of its family`() throws {
    var cache = LookupCache()
    let known = try refusal(22)
    let one = RouteRequest("10.9.0.1")
    let refused = Evaluation(.notReachable(.blackhole))
    cache.store(refused, of: one, .failure(.invalid)) { known }
    let addresses: [ReachabilityAddress] = ["10.9.0.2", "fd00::1", "239.1.1.1", "255.255.255.255"]
    let places = addresses.map { address in
      LookupCache.Subject(RouteRequest(address)).flatMap { cache.entry(of: $0) { $0.known == known } }
    }
    #expect(places == [0, nil, nil, nil])
    let unreachable = Evaluation(.notReachable(.noRoute))
    cache.store(unreachable, of: one, .failure(.networkUnreachable)) { known }
    cache.store(unreachable, of: one, .success(RouteMessage(.local))) { known }
    #expect(cache.entries.count == 1)
    cache.store(Evaluation(ReachabilityStatus(.reachable)), of: one, .success(RouteMessage(.unicast))) {
      known
    }
    #expect(cache.entries.count == 2)
  }

  @Test func `a remembered answer may come from a route that is about to go`() throws {
    let network = ScriptedNetwork.withOneLink()
    var randomness = SeededGenerator(seed: 0)
    let route = try randomness.route(1).get()
    let addresses: [ReachabilityAddress] = ["10.9.0.1", "10.9.0.2"]
    for address in addresses + DefaultRoute.addresses {
      network.setRoute(to: address, .success(route))
    }
    var tracker = try network.watchingTracker()
    for targets: [ReachabilityTarget] in [
      addresses.map { .address($0) }, [.address(addresses[0])], [.defaultRoute],
    ] {
      for isSuspect in [false, true] {
        network.change(isSuspect ? .routeRemoved(route) : .route(route))
        _ = tracker.readChange()
        for _ in 0..<2 {
          tracker.hasSuspectAnswer = false
          let evaluations = tracker.evaluateObserved(targets)
          #expect(evaluations.map(\.status.isReachable) == targets.map { _ in true })
          #expect(tracker.hasSuspectAnswer == isSuspect, "\(targets)")
        }
        // Now the kernel has removed it.
        #expect(tracker.readChangeDuringEvaluation() == NetworkChange())
        tracker.hasSuspectAnswer = false
        _ = tracker.evaluateObserved(targets)
        #expect(tracker.hasSuspectAnswer == false, "\(targets)")
      }
    }
  }
}

extension SeededGenerator {
  private static let addresses: [ReachabilityAddress] = ["10.9.0.1", "10.9.0.2", "239.1.1.1", "fd00:9::1"]

  fileprivate mutating func destination() -> ReachabilityAddress {
    (Self.addresses + DefaultRoute.addresses).randomElement(using: &self) ?? "10.9.0.1"
  }

  fileprivate mutating func target() -> ReachabilityTarget {
    let targets: [ReachabilityTarget] =
      Self.addresses.map { .address($0) } + [
        .defaultRoute, .defaultRoute, .defaultRoute,
        ReachabilityTarget(.defaultRoute, interface: .name("eth0")),
        ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1"),
        ReachabilityTarget(.defaultRoute, mark: 7),
      ]
    return targets.randomElement(using: &self) ?? .defaultRoute
  }

  /// One of a few routes by the first link.
  fileprivate mutating func route(_ number: UInt32) -> Result<RouteMessage, Errno> {
    var route = RouteMessage.to("0.0.0.0", 0)
    route.kind = .unicast
    route.table = 254
    route.origin = 4
    route.interface = number == 3 ? 3 : 2
    route.gateway = .v4(.init(rawValue: 0x0a01_00fe - number))
    route.preferredSource = "10.1.0.1"
    return .success(route)
  }

  fileprivate mutating func answer(about destination: ReachabilityAddress) -> Result<RouteMessage, Errno> {
    let refusals: [Errno] = [
      .networkUnreachable, .networkUnreachable, .hostUnreachable, .invalidArgument, .accessDenied,
    ]
    guard chance(2), destination.bitWidth == 32 else {
      return .failure(refusals.randomElement(using: &self) ?? .networkUnreachable)
    }
    return route(UInt32.random(in: 0..<4, using: &self))
  }

  /// Mostly a route; sometimes a change of the tables.
  fileprivate mutating func event() -> RouteEvent? {
    switch Int.random(in: 0..<12, using: &self) {
    case 0: .link(.ethernet(2, "eth0", isUp: chance(2)))
    case 1: .link(.ethernet(3, "eth1", isUp: chance(2)))
    case 2: .address(.ipv4("10.1.0.1", 24, on: 2))
    case 3: .addressRemoved(.ipv4("10.1.0.1", 24, on: 2))
    case 4...6: .route(.to("10.9.0.0", 16))
    case 7: .routeRemoved(.to("10.9.0.0", 16))
    default: nil
    }
  }
}
#endif
