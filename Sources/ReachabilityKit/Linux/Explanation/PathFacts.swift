// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// What the kernel says about the path to one address, or by the default route of one family.
struct PathFacts: Sendable {
  var target: ReachabilityTarget
  var evaluation: Evaluation
  /// The status by links, addresses and routes alone, if a tunnel or an IPsec policy decides too.
  var routedStatus: ReachabilityStatus?
  /// What an IPsec policy does to packets, if it stops them.
  var ipsec: IPsec?
  /// The facts about the other end of that tunnel.
  var remote: [PathFacts] = []
  /// The query whose answer decided the status; `nil` if there was none.
  var question: RouteRequest?
  var answer: RouteAnswer?
  /// The matching entry of the routing tables.
  var entry: RouteAnswer?
  /// The entry for the other half of the address space, if the matching entry is a half route.
  var otherHalf: RouteAnswer?
  var neighbour = ExplanationFacts.Neighbour.unknown
  /// The routes of all tables that match the destination, in each table and for each prefix in the kernel's order;
  /// `nil` if they were not listed.
  var routes: [RouteMessage]?

  /// An IPsec policy that stops packets.
  struct IPsec: Equatable, Sendable {
    /// Whether it blocks them; otherwise it requires a state (SA) that does not exist.
    var isBlocked: Bool
    /// The policy in the words of the `ip` command, or `nil` if it could not be read.
    var policy: String?
    /// The command that deletes it.
    var deletion: String?
  }
}

extension PathFacts {
  var status: ReachabilityStatus { evaluation.status }
  var family: ReachabilityAddress.Family? { target.decisiveFamily }

  /// The matching entry, if it is a route that the kernel names.
  var route: RouteMessage? {
    if case .success(let route)? = entry, !hasUnnamedRoute { route } else { nil }
  }

  /// Whether the kernel names another route than the matching one, and with it another table.
  var hasUnnamedRoute: Bool {
    guard let question, case .success(let route)? = entry else { return false }
    return route.isOfAnotherRoute(than: question.destination)
  }
}

/// What the kernel says about this machine, whatever the path.
struct TableFacts: Sendable {
  /// The link, address and rule tables.
  var network: NetworkState
  /// The policy rules of both families, in their order; none for a family whose rules are not known.
  var rules: [ReachabilityAddress.Family: [Rule]] = [:]
  /// The user ID of the queries.
  var userID: UInt32?
  /// The blocked radios, by the index of the link.
  var radioBlocks: [Int32: RadioBlock] = [:]
}

extension ExplanationFacts {
  /// Explains each path by the tables.
  init(
    _ paths: [PathFacts], _ tables: TableFacts,
    nameServers: [(server: ReachabilityPath.NameServer, status: ReachabilityStatus)]? = nil,
    lostServers: [ReachabilityPath.NameServer: PathFacts] = [:]
  ) {
    self.init(
      paths.map { path in
        var facts = Path(target: path.target, evaluation: path.evaluation, neighbour: path.neighbour) {
          PathExplainer(path: path, tables: tables).steps
        }
        // RT_TABLE_UNSPEC and RT_TABLE_MAIN.
        facts.table = path.route.flatMap { [0, 254].contains($0.table) ? nil : $0.table }
        return facts
      })
    hasTables = true
    self.nameServers = nameServers
    serverAdvice = lostServers.compactMapValues { path in
      PathExplainer(path: path, tables: tables).steps.first { $0.verdict == .failed }?.advice
    }
  }
}

/// The kind of a radio's block; the kernel's subsystem is `rfkill`.
enum RadioBlock: Equatable, Sendable {
  /// A program blocks the radio.
  case soft
  /// A hardware switch or the firmware blocks the radio, which no program can change.
  case hard
}
#endif
