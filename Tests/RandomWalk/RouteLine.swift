// SPDX-License-Identifier: Apache-2.0
import Foundation
import InternetProtocol
import LiveSupport

/// The output of `ip -json route get`.
struct RouteLine: Decodable, Hashable {
  var type: String?
  var dst: String?
  var dev: String?
  private var gateway: String?
  private var via: Via?
  private var prefsrc: String?
  private var flags: [String]?
  private var nexthops: [Hop]?
  var nhid: Int?
  var table: String?
  private var metric: Int?
  private var `protocol`: String?

  struct Via: Decodable, Hashable {
    var host: String?
  }

  /// One of several next hops of a route.
  struct Hop: Decodable, Hashable {
    var dev: String?
    var gateway: String?
    var via: Via?
    var flags: [String]?

    var nextAddress: ReachabilityAddress? { (gateway ?? via?.host).flatMap { ReachabilityAddress($0[...]) } }
    var isDead: Bool { flags.isDead }
  }

  var nextAddress: ReachabilityAddress? { (gateway ?? via?.host).flatMap { ReachabilityAddress($0[...]) } }
  var source: ReachabilityAddress? { prefsrc.flatMap { ReachabilityAddress($0[...]) } }
  var hops: [Hop] { nexthops ?? [] }

  /// Whether several next hops are possible.
  var hasSeveralHops: Bool { hops.count > 1 || nhid != nil }

  /// Whether both are the same route; its first next hop depends on the question.
  func isSameEntry(as other: RouteLine) -> Bool {
    dst == other.dst && table == other.table && metric == other.metric && nhid == other.nhid
      && Set(hops) == Set(other.hops)
  }

  /// Whether it is another route than the matching one, with the same next-hop object: each processor caches the route that
  /// it looked up first.
  func isOfAnotherRoute(than destination: ReachabilityAddress) -> Bool {
    guard nhid != nil, let dst, dst != "default" else { return false }
    let address = ReachabilityAddress(dst.prefix { $0 != "/" })
    return address.flatMap { IPPrefix($0, length: prefixLength) }?.contains(destination) == false
  }

  /// Whether the kernel added the route.
  var isKernels: Bool { `protocol` == "kernel" }

  /// Whether all next hops of the route are flagged dead.
  var isDead: Bool { hops.isEmpty ? flags.isDead : hops.allSatisfy(\.isDead) }

  /// The prefix length of the route.
  var prefixLength: Int {
    guard let dst, dst != "default" else { return 0 }
    if let slash = dst.firstIndex(of: "/") { return Int(dst[dst.index(after: slash)...]) ?? 0 }
    return dst.contains(":") ? 128 : 32
  }
}

extension [String]? {
  fileprivate var isDead: Bool { self?.contains { $0 == "linkdown" || $0 == "dead" } ?? false }
}

/// An answer of `ip route get`.
enum RouteAnswer: Hashable {
  case route(RouteLine)
  /// The kernel's error, as the C library's text.
  case refused(String)

  init(_ outcome: CommandBatch.Outcome) throws {
    switch outcome {
    case .done(let line):
      let routes = try JSONDecoder().decode([RouteLine].self, from: Data(line.utf8))
      self = routes.first.map { .route($0) } ?? .refused("no answer")
    case .refused(let text):
      self = .refused(text.replacing("RTNETLINK answers: ", with: ""))
    }
  }

  var isRefused: Bool { route == nil }

  var route: RouteLine? {
    if case .route(let line) = self { line } else { nil }
  }
}
