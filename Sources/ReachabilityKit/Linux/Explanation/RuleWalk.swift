// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// A lookup's course over the policy rules and their tables, as the kernel's `fib_rules_lookup` takes it.
///
/// Where it is not known whether a rule matches or a route is usable, the walk takes both courses. So an end is proven
/// if the kernel's answer contradicts all others.
struct RuleWalk {
  /// Where a lookup may end.
  enum End: Hashable {
    /// At the rule with this position, which refuses packets.
    case rule(Int)
    /// At a route that refuses packets, in the table of the rule with this position.
    case route(RouteMessage, rule: Int)
    /// At a route that sends packets, in the table of the rule with this position.
    case sent(rule: Int)
    /// After the last rule.
    case noRoute
    /// At a rule or a route whose effect is not known.
    case unknown
  }

  /// What may happen in one table.
  struct TableCourse {
    /// The routes that may refuse the packets.
    var refusals: [RouteMessage] = []
    /// Whether a route may send the packets.
    var isSent = false
    /// Whether the lookup may end at a route whose effect is not known.
    var isUnknown = false
    /// Whether the lookup may continue with the next rule.
    var isLeft = false
  }

  /// The positions of the rules that the lookup may come to and match, in order.
  private(set) var matched: [Int] = []
  private(set) var ends: Set<End> = []

  /// - Parameters:
  ///   - matches: Whether a rule matches; `nil` if that is not known.
  ///   - lookUp: The course in the table of a rule.
  init(_ rules: [Rule], matches: (Rule) -> Bool?, lookUp: (Rule, UInt32) -> TableCourse) {
    // A jump leads forward only, so one pass reaches every rule.
    var isReached = [Bool](repeating: false, count: rules.count + 1)
    isReached[0] = true
    for (position, rule) in rules.enumerated() where isReached[position] {
      let doesMatch = matches(rule)
      if doesMatch != true { isReached[position + 1] = true }
      if doesMatch == false { continue }
      matched.append(position)
      switch rule.action {
      case .none: isReached[position + 1] = true
      case .jump(let priority):
        let target = rules.indices.first { $0 > position && rules[$0].priority == priority }
        isReached[target ?? position + 1] = true
      case .refuse: ends.insert(.rule(position))
      case .lookUp(let table):
        let course = lookUp(rule, table)
        for route in course.refusals { ends.insert(.route(route, rule: position)) }
        if course.isSent { ends.insert(.sent(rule: position)) }
        if course.isUnknown { ends.insert(.unknown) }
        if course.isLeft { isReached[position + 1] = true }
      case .other:
        ends.insert(.unknown)
        isReached[position + 1] = true
      }
    }
    if isReached[rules.count] { ends.insert(.noRoute) }
  }
}

extension RuleWalk.TableCourse {
  /// The course in a rule's table: the longest prefix first, and of equal ones in the order of the list.
  init(_ rule: Rule, table: UInt32, _ question: RouteRequest, routes: [RouteMessage]) {
    let own = routes.enumerated().filter { $0.element.table == table }
      .sorted {
        ($1.element.destinationLength, $0.offset) < ($0.element.destinationLength, $1.offset)
      }
    for route in own.map(\.element) {
      let isUsable = route.isUsable(by: question)
      if isUsable == false { continue }
      if route.kind == .throw {
        isLeft = true
      } else if route.kind.refusal != nil {
        refusals.append(route)
      } else if route.kind.sends {
        // The kernel suppresses no refusal.
        let isSuppressed = rule.suppresses(prefixLength: Int(route.destinationLength))
        if isSuppressed != true { isSent = true }
        if isSuppressed != false { isLeft = true }
      } else {
        isUnknown = true
      }
      if isUsable == true { return }
    }
    isLeft = true
  }
}

extension RuleWalk.End {
  /// Whether the kernel answers so at this end.
  func agrees(with refusal: RouteRefusal, _ rules: [Rule]) -> Bool {
    switch self {
    case .sent: return false
    case .noRoute: return refusal == .networkUnreachable
    case .unknown: return true
    case .rule(let position):
      guard case .refuse(let own) = rules[position].action else { return false }
      switch own {
      case .blackhole: return refusal == .invalid
      case .unreachable: return refusal == .networkUnreachable
      case .prohibit: return refusal == .accessDenied
      }
    case .route(let route, _):
      return refusal == RouteRefusal(route.kind)
    }
  }
}
#endif
