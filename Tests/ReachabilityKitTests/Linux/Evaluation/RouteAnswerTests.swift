// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import POSIX
import Testing
@testable import Netlink
@testable import ReachabilityKit

@Suite(.deadline) struct RouteAnswerTests {
  @Test func `local and anycast routes alone may deliver on this machine`() {
    let kinds: [RouteKind] = [.unicast, .local, .broadcast, .anycast, .multicast, .blackhole, .unspecified]
    #expect(kinds.filter(\.isHere) == [.local, .anycast])
  }

  @Test func `a request to the kernel names the protocol and the owner of the packets`() {
    func completed(_ request: RouteRequest, _ user: UInt32? = nil) -> [UInt32?] {
      let completed = request.completed(for: user)
      return [completed.protocolNumber.map { UInt32($0) }, completed.userID]
    }
    #expect(completed(RouteRequest("10.1.0.1"), 1000) == [6, 1000])
    #expect(completed(RouteRequest("ff0e::1")) == [17, nil])
    #expect(completed(RouteRequest("fd00::1", protocolNumber: 17)) == [17, nil])
    // The kernel makes the packets of tunnels and of routes that wrap others; rules for root match them.
    #expect(completed(RouteRequest("10.1.0.1", sender: .tunnel)) == [1, 0])
    #expect(completed(RouteRequest("fd00::1", sender: .tunnel), 1000) == [nil, 0])
    #expect(completed(RouteRequest("fd00::1", protocolNumber: 17, sender: .tunnel)) == [17, 0])
    #expect(completed(RouteRequest("fd00::1", sender: .encapsulation(depth: 1))) == [nil, nil])
    #expect(completed(RouteRequest("fd00::1", sender: .encapsulation(depth: 1)), 1000) == [nil, 0])
  }

  @Test(
    arguments: [
      (.unicast, nil), (.local, nil), (.broadcast, nil), (.anycast, nil), (.multicast, nil),
      (.blackhole, .invalid), (.unreachable, .hostUnreachable), (.prohibit, .accessDenied),
      (.throw, .networkUnreachable), (.unspecified, .trouble), (RouteKind(rawValue: 10), .trouble),
      (RouteKind(rawValue: 255), .trouble),
    ] as [(RouteKind, RouteRefusal?)])
  func `a route of any kind is a route or a refusal`(kind: RouteKind, refusal: RouteRefusal?) {
    var route = RouteMessage()
    route.kind = kind
    #expect(RouteAnswer(.success(route)) == (refusal.map { .failure($0) } ?? .success(route)))
  }

  @Test func `frames that are sent to a segment are no packets`() {
    var route = RouteMessage()
    (route.kind, route.encapsulation) = (.unicast, .frames)
    #expect(RouteAnswer(.success(route)) == .failure(.invalid))
  }

  @Test(
    arguments: [
      (.networkUnreachable, .networkUnreachable), (.hostUnreachable, .hostUnreachable),
      (.invalidArgument, .invalid), (.accessDenied, .accessDenied), (.noDevice, .noDevice),
      (.noBufferSpace, .trouble), (Errno(rawValue: 90), .trouble), (Errno(rawValue: 12345), .trouble),
    ] as [(Errno, RouteRefusal)])
  func `an error is a refusal with its reason`(errno: Errno, refusal: RouteRefusal) {
    #expect(RouteAnswer(.failure(errno)) == .failure(refusal))
  }

  @Test(
    arguments: [
      ([], false), (.dead, true), (.linkDown, true), ([.dead, .linkDown, .cloned], true), (.cloned, false),
    ] as [(RouteFlags, Bool)])
  func `a route or next hop is down if dead or without carrier`(
    flags: RouteFlags, isDown: Bool
  ) {
    var hop = NextHop()
    hop.flags = flags
    var route = RouteMessage()
    route.nextHops = [hop]
    #expect(route.isDeadEverywhere == isDown)
    route.nextHops = []
    route.flags = flags
    #expect(route.isDeadEverywhere == isDown)
    route.nextHops = [NextHop()]
    #expect(!route.isDeadEverywhere)
  }

  @Test(
    arguments: [
      (0, nil), (-1, nil), (.min, nil), (1, .milliseconds(30)), (100, .milliseconds(1020)),
      (.max, .milliseconds(21_474_836_490)),
    ] as [(Int32, Duration?)])
  func `a route's lifetime is a little longer than the kernel's rounded number`(
    expires: Int32, lifetime: Duration?
  ) {
    var route = RouteMessage()
    route.expires = expires
    #expect(route.lifetime == lifetime)
  }
}
#endif
