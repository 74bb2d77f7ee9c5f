#if os(Linux)
import Foundation
import InternetProtocol
import LiveSupport

/// What `ip -json route get` prints.
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

  /// One of several ways that a route has.
  struct Hop: Decodable, Hashable {
    var dev: String?
    var gateway: String?
    var via: Via?
    var flags: [String]?

    var nextAddress: IPAddress? { (gateway ?? via?.host).flatMap { IPAddress($0[...]) } }
    var isDead: Bool { flags.isDead }
  }

  var nextAddress: IPAddress? { (gateway ?? via?.host).flatMap { IPAddress($0[...]) } }
  var source: IPAddress? { prefsrc.flatMap { IPAddress($0[...]) } }
  var hops: [Hop] { nexthops ?? [] }

  /// Whether there is a choice between several ways.
  var hasSeveralWays: Bool { hops.count > 1 || nhid != nil }

  /// Whether both are the same entry; the one of its ways that a question leads to stands first.
  func isSameEntry(as other: RouteLine) -> Bool {
    dst == other.dst && table == other.table && metric == other.metric && nhid == other.nhid
      && Set(hops) == Set(other.hops)
  }

  /// Whether the kernel made the route by itself.
  var isKernels: Bool { `protocol` == "kernel" }

  /// Whether all ways of the route are said to be dead.
  var isDead: Bool { hops.isEmpty ? flags.isDead : hops.allSatisfy(\.isDead) }

  /// The length of the prefix that the route is for.
  var prefixLength: Int {
    guard let dst, dst != "default" else { return 0 }
    if let slash = dst.firstIndex(of: "/") { return Int(dst[dst.index(after: slash)...]) ?? 0 }
    return dst.contains(":") ? 128 : 32
  }
}

extension [String]? {
  fileprivate var isDead: Bool { self?.contains { $0 == "linkdown" || $0 == "dead" } ?? false }
}

/// How `ip route get` answers.
enum RouteAnswer: Hashable {
  case route(RouteLine)
  /// The kernel's error, in the C library's words.
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
#endif
