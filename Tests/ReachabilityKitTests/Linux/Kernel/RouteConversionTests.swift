#if os(Linux)
import DeadlineSupport
import InternetProtocol
import POSIX
import Testing
@testable import Netlink
@testable import ReachabilityKit

@Suite(.deadline) struct RouteConversionTests {
  @Test func `a request holds all parts of its question`() {
    let plain = RouteRequest(RouteQuestion("10.1.0.1"), of: nil)
    #expect(plain == RouteRequest("10.1.0.1", protocolNumber: 6, flags: .lookupTable))
    let group = RouteRequest(RouteQuestion("ff0e::1"), of: nil)
    #expect(group == RouteRequest("ff0e::1", protocolNumber: 17, flags: .lookupTable))
    let question = RouteQuestion(
      "fd00::1", source: "fd00::2", interface: 3, mark: 0x10, transport: .udp, port: 53, isExact: true)
    let request = RouteRequest(
      "fd00::1", source: "fd00::2", outputInterface: 3, mark: 0x10, userID: 1000, protocolNumber: 17,
      destinationPort: 53, flags: [.lookupTable, .exactMatch])
    #expect(RouteRequest(question, of: 1000) == request)
  }

  private static let recorded: [(String, RouteAnswer)] = [
    (
      "route-ipv4-lookup",
      .route(
        RouteReply(interface: 2, gateway: "10.1.0.254", source: "10.1.0.1", table: 254, prefixLength: 32))
    ),
    ("route-ipv4-exact", .route(RouteReply(interface: 2, gateway: "10.1.0.254", table: 254, metric: 100))),
    (
      "route-ipv4-via-inet6",
      .route(RouteReply(interface: 2, gateway: "fe80::1", table: 254, prefixLength: 24))
    ),
    (
      "route-ipv4-multipath",
      .route(
        RouteReply(
          prefixLength: 16,
          nextHops: [
            RouteReply.NextHop(interface: 2, gateway: "10.1.0.2", isDown: false),
            RouteReply.NextHop(interface: 3, gateway: "10.2.0.2", isDown: false),
          ]))
    ),
    (
      "route-ipv6-lookup",
      .route(
        RouteReply(
          interface: 2, gateway: "fd00:1::fe", source: "fd00:77::1", table: 254, prefixLength: 128,
          metric: 1024))
    ),
    (
      // Ten minutes and 20 ms.
      "route-ipv6-expiring",
      .route(RouteReply(interface: 2, gateway: "fd00:1::fe", metric: 1024, lifetime: .milliseconds(600_020)))
    ),
    (
      "route-local",
      .route(RouteReply(.local, interface: 1, source: "10.1.0.1", table: 254, prefixLength: 32))
    ),
    (
      "route-nexthop-id",
      .route(RouteReply(interface: 2, gateway: "10.1.0.20", table: 254, prefixLength: 16))
    ),
    ("route-blackhole", .refused(.invalid)),
  ]

  @Test func `a recorded answer converts to the evaluator's answer`() throws {
    for (name, expected) in Self.recorded {
      #expect(RouteAnswer(.success(try recordedLookup(name))) == expected, "\(name)")
    }
  }

  @Test(
    arguments: [
      (.unicast, .route(RouteReply(.unicast, prefixLength: 16))),
      (.local, .route(RouteReply(.local, prefixLength: 16))),
      (.broadcast, .route(RouteReply(.broadcast, prefixLength: 16))),
      (.anycast, .route(RouteReply(.anycast, prefixLength: 16))),
      (.multicast, .route(RouteReply(.multicast, prefixLength: 16))), (.blackhole, .refused(.invalid)),
      (.unreachable, .refused(.hostUnreachable)), (.prohibit, .refused(.accessDenied)),
      (.throw, .refused(.networkUnreachable)), (.unspecified, .refused(.trouble)),
      (RouteKind(rawValue: 10), .refused(.trouble)), (RouteKind(rawValue: 255), .refused(.trouble)),
    ] as [(RouteKind, RouteAnswer)])
  func `a route of any kind is a route or a refusal`(kind: RouteKind, answer: RouteAnswer) throws {
    var reply = try recordedLookup("route-blackhole")
    reply.kind = kind
    #expect(RouteAnswer(.success(reply)) == answer)
  }

  @Test(
    arguments: [
      (.networkUnreachable, .networkUnreachable), (.hostUnreachable, .hostUnreachable),
      (.invalidArgument, .invalid), (.accessDenied, .accessDenied), (.noDevice, .noDevice),
      (.noBufferSpace, .trouble), (Errno(rawValue: 90), .trouble), (Errno(rawValue: 12345), .trouble),
    ] as [(Errno, RouteAnswer.Refusal)])
  func `an error is a refusal with its reason`(errno: Errno, refusal: RouteAnswer.Refusal) {
    #expect(RouteAnswer(.failure(errno)) == .refused(refusal))
  }

  @Test(
    arguments: [
      ([], false), (.dead, true), (.linkDown, true), ([.dead, .linkDown, .cloned], true), (.cloned, false),
    ] as [(RouteFlags, Bool)])
  func `a route or next hop is down if dead or without carrier`(
    flags: RouteFlags, isDown: Bool
  ) throws {
    var hop = Netlink.NextHop()
    hop.flags = flags
    hop.outputInterface = 2
    hop.gateway = "10.1.0.2"
    var message = try recordedLookup("route-blackhole")
    message.kind = .unicast
    message.nextHops = [hop]
    let way = RouteReply.NextHop(interface: 2, gateway: "10.1.0.2", isDown: isDown)
    #expect(RouteReply(message) == RouteReply(prefixLength: 16, nextHops: [way]))
    message.nextHops = []
    message.flags = flags
    #expect(RouteReply(message) == RouteReply(prefixLength: 16, isDown: isDown))
  }

  @Test(
    arguments: [
      (0, nil), (-1, nil), (.min, nil), (1, .milliseconds(30)), (100, .milliseconds(1020)),
      (.max, .milliseconds(21_474_836_490)),
    ] as [(Int32, Duration?)])
  func `a route's lifetime is a little longer than the kernel's rounded number`(
    expires: Int32, lifetime: Duration?
  ) throws {
    var message = try recordedLookup("route-ipv6-expiring")
    message.expires = expires
    #expect(RouteReply(message)?.lifetime == lifetime)
  }
}
#endif
