// SPDX-License-Identifier: Apache-2.0
import POSIX

/// The seam between the engine and an operating system, as every system has it: wait for a change, take it, evaluate.
///
/// Statuses and threads are available from any thread. Only the engine's thread watches, waits and evaluates for observers.
package protocol NetworkSource: Sendable {
  /// What this system offers beyond that; nothing by default.
  var capabilities: SourceCapabilities { get }

  /// Evaluates a target now; from any thread, without waiting for a network.
  ///
  /// With a ``NameService``, a host is evaluated by its addresses. Where the system can't be queried, the status is unknown with
  /// the reason `systemError`.
  func evaluate(_ target: ReachabilityTarget) -> Evaluation

  /// Evaluates the path now; from any thread, without waiting for a network.
  func evaluatePath() -> PathEvaluation

  /// Evaluates a target for observers.
  func evaluateObserved(_ target: ReachabilityTarget) -> Evaluation

  /// Evaluates targets for observers, in their order.
  func evaluateObserved(_ targets: [ReachabilityTarget]) -> [Evaluation]

  /// Evaluates the path for observers.
  func evaluateObservedPath() -> PathEvaluation

  /// Watches these subjects and no others; evaluations after it returns miss no change of them.
  ///
  /// - Throws: ``ReachabilityMonitorError`` if the system refuses to report changes of the network. All other subjects are
  ///   watched nonetheless.
  func watch(_ subjects: Subscriptions) throws(ReachabilityMonitorError)

  /// Blocks until something may have changed, ``wake()`` is called or the deadline is over.
  ///
  /// Takes all waiting changes together.
  func waitForChange(until deadline: Moment?) -> NetworkChange

  /// Ends a wait, or the next one if there is none now; from any thread.
  func wake()

  /// Starts a thread that belongs to this network, whichever thread calls.
  ///
  /// - Throws: ``ReachabilityMonitorError`` if it can't be started.
  func startThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError)
}

extension NetworkSource {
  package var capabilities: SourceCapabilities { SourceCapabilities() }

  package func evaluateObserved(_ target: ReachabilityTarget) -> Evaluation { evaluateObserved([target])[0] }

  package func evaluateObserved(_ targets: [ReachabilityTarget]) -> [Evaluation] { targets.map(evaluate) }

  package func evaluateObservedPath() -> PathEvaluation { evaluatePath() }

  package func startThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    try ReachabilityKit.startThread(named: name, body)
  }
}

/// The subjects whose changes a source reports.
package struct Subscriptions: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Links, addresses, routes and rules.
  package static let network = Subscriptions(rawValue: 1 << 0)
  /// The resolver's settings.
  static let names = Subscriptions(rawValue: 1 << 1)
  /// What others than the kernel say of links; names have to be watched too.
  static let linkDetails = Subscriptions(rawValue: 1 << 2)
}

/// The parts of the network that may differ from before.
package struct NetworkChange: Equatable, Sendable {
  var everything = false
  /// A range of destinations whose route may have changed.
  ///
  /// Most changes have one, which takes no array.
  private(set) var firstPrefix: IPPrefix?
  /// The other ranges, in one array, since mostly there is none.
  private var others: [OtherRange] = []
  /// Whether names may resolve to other addresses, since the resolver's settings changed.
  var names = false
  /// Whether a link changed in a detail that only a path shows, for example its MTU.
  var linkDetails = false
  /// Whether the kernel may choose other next hops of the same routes, by the states of their neighbour entries.
  var nextHops = false
  /// Whether a router that did not answer answers again, so that lookups of names may succeed.
  var routerReturned = false

  /// What may happen to the route of a range of destinations.
  enum Effect {
    /// It may have changed.
    case changed
    /// It may be about to change: announced a moment before it takes effect.
    case imminent
    /// Its announcements were dropped until now; one of them may take effect in a moment.
    case missed
  }

  private struct OtherRange: Equatable {
    let prefix: IPPrefix
    let effect: Effect
  }

  /// The next evaluations after an imminent or missed change: the first allows for the microseconds that the kernel
  /// needs, the others for a processor that stands still in between, as those of busy virtual machines do.
  static func rechecks(after now: Moment) -> [Moment] {
    [2, 100, 1000].map { now.advanced(by: .milliseconds($0)) }
  }

  init(
    everything: Bool = false, prefixes: [IPPrefix] = [], imminent: [IPPrefix] = [], missed: [IPPrefix] = [],
    names: Bool = false, linkDetails: Bool = false, nextHops: Bool = false, routerReturned: Bool = false
  ) {
    self.everything = everything
    for prefix in prefixes { insert(prefix) }
    for prefix in imminent { insert(prefix, as: .imminent) }
    for prefix in missed { insert(prefix, as: .missed) }
    (self.names, self.linkDetails, self.nextHops) = (names, linkDetails, nextHops)
    self.routerReturned = routerReturned
  }

  package static var all: NetworkChange { NetworkChange(everything: true) }

  package static var none: NetworkChange { NetworkChange() }

  package var isEmpty: Bool {
    !everything && firstPrefix == nil && others.isEmpty && !names && !linkDetails && !nextHops
      && !routerReturned
  }

  /// Whether no part of it comes from the kernel's tables.
  var isQuiet: Bool { !everything && firstPrefix == nil && others.allSatisfy { $0.effect == .missed } }

  /// Whether nothing else happened than that the kernel may choose other next hops.
  var isOfNextHopsAlone: Bool { nextHops && isQuiet && others.isEmpty && !names && !linkDetails }

  /// All ranges of destinations whose route may have changed.
  var prefixes: [IPPrefix] { (firstPrefix.map { [$0] } ?? []) + others(.changed) }

  /// The number of ranges whose route was announced.
  var routeCount: Int { (firstPrefix == nil ? 0 : 1) + others.count { $0.effect != .missed } }

  /// Whether there are more ranges than the first one.
  var hasOthers: Bool { !others.isEmpty }

  /// The other ranges of an effect, in their order.
  func others(_ effect: Effect) -> [IPPrefix] {
    // Mostly there are none.
    others.isEmpty ? [] : others.filter { $0.effect == effect }.map(\.prefix)
  }

  /// What a change means for lookups of names.
  struct EffectOnNames: OptionSet {
    let rawValue: UInt8

    static let settings = EffectOnNames(rawValue: 1)
    /// Name servers may have become reachable, or may answer differently: more than some route changed.
    static let network = EffectOnNames(rawValue: 2)
    static let routes = EffectOnNames(rawValue: 4)
    static let routerReturned = EffectOnNames(rawValue: 8)
  }

  var effectOnNames: EffectOnNames {
    var effect: EffectOnNames = isQuiet && !nextHops ? [] : .routes
    if names { effect.insert(.settings) }
    if everything || firstPrefix?.isOfDefaultRoute == true
      || others.contains(where: { $0.effect != .missed && $0.prefix.isOfDefaultRoute })
    {
      effect.insert(.network)
    }
    if routerReturned { effect.insert(.routerReturned) }
    return effect
  }

  /// Adds a range of destinations.
  mutating func insert(_ prefix: IPPrefix, as effect: Effect = .changed) {
    if effect == .changed {
      if everything { return }
      guard firstPrefix != nil else {
        firstPrefix = prefix
        return
      }
    }
    others.append(OtherRange(prefix: prefix, effect: effect))
  }

  mutating func formUnion(_ other: NetworkChange) {
    if other.isEmpty { return }
    everything = everything || other.everything
    if everything {
      firstPrefix = nil
      others.removeAll { $0.effect == .changed }
    }
    if let first = other.firstPrefix { insert(first) }
    for range in other.others { insert(range.prefix, as: range.effect) }
    names = names || other.names
    linkDetails = linkDetails || other.linkDetails
    nextHops = nextHops || other.nextHops
    routerReturned = routerReturned || other.routerReturned
  }
}

extension IPPrefix {
  fileprivate var isOfDefaultRoute: Bool { length <= DefaultRoute.longestPrefix }
}

extension ReachabilityTarget {
  /// The addresses whose routes decide the status.
  var routedAddresses: [ReachabilityAddress] {
    let destinations: [ReachabilityAddress] =
      switch destination {
      case .address(let address): [address]
      case .defaultRoute: DefaultRoute.addresses
      // Once its name is resolved, a host is evaluated by targets for its addresses.
      case .host: []
      }
    return destinations + (source.map { [$0] } ?? [])
  }
}
