// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink
import POSIX

/// The engine thread's view of the network: its tables and sockets, and the changes that it has not returned yet.
struct LinuxWatch: ~Copyable, Sendable {
  private(set) var tracker: NetworkTracker
  private var files: WatchedFiles
  private var interest: FilterPolicy
  private var subjects: Subscriptions = []
  private var observed = ObservedAddresses()
  /// The number of routes in the changes since the last wait; none if something was evaluated because of them.
  private var unrelatedRoutes = 0
  /// The changes that evaluations found, also those whose announcements a filter dropped.
  private var foundChange: NetworkChange?
  // Comparing them would copy the change.
  private var hasFoundChange: Bool { if case .some = foundChange { true } else { false } }
  /// Whether all changes since the last wait are neighbours' states, which the kernel changes without RTNL.
  private(set) var isChangeOfNeighboursAlone = false

  init(_ tracker: consuming NetworkTracker, files: consuming WatchedFiles, interest: FilterPolicy) {
    self.tracker = tracker
    self.files = files
    self.interest = interest
  }

  /// - Returns: Whether it watches the network from now on, and did not before.
  mutating func watch(_ wanted: Subscriptions) throws(NetlinkError) -> Bool {
    let changed = subjects.symmetricDifference(wanted)
    if changed.contains(.names) {
      files.setWatching(wanted.contains(.names))
      subjects.formSymmetricDifference(.names)
    }
    if changed.contains(.linkDetails) {
      files.setWatchingFolder(wanted.contains(.linkDetails))
      subjects.formSymmetricDifference(.linkDetails)
    }
    guard changed.contains(.network) else { return false }
    foundChange = nil
    interest.recordRemoval()
    if wanted.contains(.network) { try tracker.start(NetworkTracker.allGroups) } else { tracker.stop() }
    subjects.formSymmetricDifference(.network)
    return wanted.contains(.network)
  }

  /// Adds what routers announced to another subscription.
  mutating func add(_ portals: AnnouncedPortals) { tracker.tables.portals.add(portals) }

  mutating func setObserved(_ addresses: ObservedAddresses) {
    observed = addresses
    interest.recordChange()
  }

  /// Prepares a wait, and filters announcements of routes from then on if that pays.
  ///
  /// - Returns: Whether the kernel's messages end the wait, the descriptors of files and of IPsec policies,
  ///   and the deadline.
  mutating func prepareToWait(
    until limit: Moment?
  ) -> (includesKernel: Bool, files: CInt?, policies: CInt?, deadline: Moment?) {
    if subjects.contains(.network), interest.wantsFilter(after: unrelatedRoutes, observing: observed.count) {
      let list = observed.list() + tracker.tunnelAddresses
      interest.recordFilter(passing: list, isAccepted: tracker.limitRoutes(to: list))
    }
    if tracker.tables.nextHops?.hasUnwatched == true { tracker.watchNextHops() }
    // Nothing was looked up since the last message was read, so that the rest still waits.
    if subjects.contains(.network), tracker.mayHaveMore { tracker.update() }
    let isFailing = tracker.tables.failure != nil
    var deadline = Moment.earliest(.earliest(limit, files.nextTry), tracker.tables.nextHops?.deadline)
    if isFailing {
      // A failing socket ends every wait immediately. So it is left out, and read again after an interval.
      deadline = .earliest(deadline, Moment.now.advanced(by: NetworkTracker.retryInterval))
    } else if tracker.hasPendingChange || hasFoundChange {
      deadline = Moment.now
    }
    return (!isFailing, files.descriptor, tracker.policies.descriptor, deadline)
  }

  /// Takes the changes since the last call; more may wait to be read.
  ///
  /// - Parameter isOfPolicies: Whether IPsec policies may have changed.
  mutating func readChange(isAfterSleep: Bool, isOfPolicies: Bool) -> NetworkChange {
    // Anything may have changed during a sleep.
    if isAfterSleep { tracker.refresh() }
    // Most changes of routes have one message. The next lookup reads those that follow.
    var change = tracker.readChange(readingAtLeast: 1)
    if let foundChange = foundChange.take() { change.formUnion(foundChange) }
    unrelatedRoutes = change.routeCount
    let changedFiles = files.readChange()
    change.names = changedFiles.files
    if changedFiles.folder { change.linkDetails = true }
    if tracker.isNextHopCheckDue() { change.nextHops = true }
    if isOfPolicies, tracker.readPolicyChange() { change.formUnion(.all) }
    isChangeOfNeighboursAlone = change.isOfNextHopsAlone && !isChangeInProgress
    return consume change
  }

  /// Whether the kernel may be in the middle of the change that was taken last.
  var isChangeInProgress: Bool { tracker.tables.unfinished.isInProgress }

  /// Whether the kernel may not have made a change that was read since.
  var isNextChangeInProgress: Bool {
    tracker.tables.nextUnfinished.isInProgress || tracker.tables.nextUnfinished.hasDeletions
  }

  /// Takes the changes that arrived since ``readChange(isAfterSleep:isOfPolicies:)``.
  mutating func readLateChange() -> NetworkChange {
    let change = tracker.readChange()
    unrelatedRoutes += change.routeCount
    return change
  }

  /// Returns the changes that arrived during an evaluation, once; the next ``readChange(isAfterSleep:isOfPolicies:)`` returns
  /// them, too.
  ///
  /// The kernel has made all that it announced before the evaluation.
  mutating func readChangeDuringEvaluation() -> NetworkChange {
    let change = tracker.readChangeDuringEvaluation()
    guard !change.isEmpty else { return change }
    if !change.isOfNextHopsAlone || isNextChangeInProgress { isChangeOfNeighboursAlone = false }
    addFound(change)
    return change
  }

  private mutating func addFound(_ change: NetworkChange) {
    foundChange = foundChange ?? NetworkChange()
    foundChange?.formUnion(change)
  }

  /// Returns whether an answer since the last call may come from a route that the kernel is about to delete.
  mutating func clearDoubtfulLinks() -> Bool {
    defer { tracker.hasSuspectAnswer = false }
    return tracker.hasSuspectAnswer
  }

  mutating func evaluate(_ target: ReachabilityTarget) -> Evaluation {
    unrelatedRoutes = 0
    if interest.isFiltering { _ = removeFilter(ifItDrops: target.routedAddresses + tracker.tunnelAddresses) }
    return tracker.evaluateObserved(target)
  }

  mutating func evaluate(_ targets: [ReachabilityTarget]) -> [Evaluation] {
    unrelatedRoutes = 0
    if interest.isFiltering {
      _ = removeFilter(ifItDrops: targets.lazy.flatMap(\.routedAddresses))
      _ = removeFilter(ifItDrops: tracker.tunnelAddresses)
    }
    return tracker.evaluateObserved(targets)
  }

  mutating func evaluatePath(_ nameServers: [ReachabilityPath.NameServer]) -> PathEvaluation {
    unrelatedRoutes = 0
    let evaluation = tracker.evaluateObservedPath(nameServers)
    // Only the evaluation names all addresses. A change of their routes may have been dropped since.
    let addresses = evaluation.routedAddresses + tracker.tunnelAddresses
    guard removeFilter(ifItDrops: addresses) else { return evaluation }
    return tracker.evaluateObservedPath(nameServers)
  }

  /// Removes a filter that drops announcements for some of these addresses; returns whether there was one.
  private mutating func removeFilter(ifItDrops addresses: some Sequence<ReachabilityAddress>) -> Bool {
    let missed = interest.missed(addresses)
    guard !missed.isEmpty else { return false }
    _ = tracker.limitRoutes(to: nil)
    interest.recordRemoval()
    // A route may have been announced, and dropped, the moment before it takes effect.
    addFound(NetworkChange(missed: missed.compactMap { IPPrefix($0, length: $0.bitWidth) }))
    return true
  }
}

/// Decides when the kernel filters announcements of routes, and which addresses the filter passes.
///
/// Pure. A filter pays where unrelated routes keep changing: see the row `churn` of the benchmarks, with 10,000 a second.
/// In nearly all networks routes hold still. No filter is attached there, so observers come and go without a system call.
struct FilterPolicy: Sendable {
  private enum Phase {
    /// All announcements arrive.
    case unlimited
    /// The kernel passes announcements for these addresses, some of which may no longer be observed.
    case limited(to: Set<ReachabilityAddress>, isOutdated: Bool)
    /// The kernel accepts no filter.
    case refused
  }

  private var phase = Phase.unlimited
  /// The number of unrelated routes that were announced in this phase: those that no evaluation followed.
  private var unrelatedRoutes = 0
  private let limit: Int

  /// - Parameter limit: The number of unrelated routes that is enough for a filter, however many addresses it passes.
  init(limit: Int = .max) {
    self.limit = limit
  }

  /// The least number of unrelated routes for a filter; with more addresses than that, their number.
  static var threshold: Int { 64 }

  /// Counts further unrelated routes; returns whether a filter for so many addresses, or another one, pays from now on.
  mutating func wantsFilter(after routes: Int, observing addresses: Int) -> Bool {
    unrelatedRoutes += routes
    let isEnough = unrelatedRoutes >= min(max(Self.threshold, addresses), limit)
    switch phase {
    case .unlimited: return isEnough
    case .refused: return false
    case .limited(_, let isOutdated): return isOutdated && isEnough
    }
  }

  /// Records that addresses were added or removed.
  mutating func recordChange() {
    if case .limited(let passed, _) = phase { phase = .limited(to: passed, isOutdated: true) }
  }

  /// Notes a filter that passes these addresses, or the kernel's refusal.
  mutating func recordFilter(passing addresses: [ReachabilityAddress], isAccepted: Bool) {
    phase = isAccepted ? .limited(to: Set(addresses), isOutdated: false) : .refused
    unrelatedRoutes = 0
  }

  mutating func recordRemoval() {
    phase = .unlimited
    unrelatedRoutes = 0
  }

  /// Whether the kernel drops announcements now.
  var isFiltering: Bool { if case .limited = phase { true } else { false } }

  /// Returns those of the addresses for which the kernel drops announcements now.
  func missed(_ addresses: some Sequence<ReachabilityAddress>) -> [ReachabilityAddress] {
    guard case .limited(let passed, _) = phase else { return [] }
    return addresses.filter { !passed.contains($0) }
  }
}
#endif
