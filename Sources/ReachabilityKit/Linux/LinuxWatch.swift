#if os(Linux)
import Netlink
import POSIX

/// The engine thread's view of the network: its tables and sockets, and the changes that it has not returned yet.
struct LinuxWatch: ~Copyable, Sendable {
  private(set) var tracker: NetworkTracker
  private var nameFiles: NameFiles
  private var interest: RouteInterest
  private var subjects: WatchedSubjects = []
  /// Changes that were found during an evaluation.
  private var heard = NetworkChange()

  init(_ tracker: consuming NetworkTracker, nameFiles: consuming NameFiles, interest: RouteInterest) {
    self.tracker = tracker
    self.nameFiles = nameFiles
    self.interest = interest
  }

  mutating func watch(_ wanted: WatchedSubjects) throws(NetlinkError) {
    let changed = subjects.symmetricDifference(wanted)
    if changed.contains(.names) {
      nameFiles.setWatching(wanted.contains(.names))
      subjects.formSymmetricDifference(.names)
    }
    guard changed.contains(.network) else { return }
    heard = NetworkChange()
    interest.noteRemoval()
    if wanted.contains(.network) { try tracker.start(NetworkTracker.allGroups) } else { tracker.stop() }
    subjects.formSymmetricDifference(.network)
  }

  /// Prepares a wait, and filters announcements of routes from then on if that pays.
  ///
  /// - Returns: Whether the kernel's messages end the wait, the descriptors of the resolver's files and of IPsec policies,
  ///   and the deadline.
  mutating func prepareToWait(
    until limit: Moment?, observing addresses: ObservedAddresses
  ) -> (includesKernel: Bool, files: CInt?, policies: CInt?, deadline: Moment?) {
    if subjects.contains(.network), interest.wantsFilter(for: addresses) {
      let list = addresses.list() + tracker.tunnelAddresses
      interest.noteFilter(passing: list, isAccepted: tracker.limitRoutes(to: list))
    }
    if tracker.nextHops?.hasNews == true { tracker.watchNextHops() }
    // Nothing was looked up since the last message was read, so that the rest still waits.
    if subjects.contains(.network), tracker.mayHaveMore { tracker.update() }
    let isFailing = tracker.failure != nil
    var deadline = Moment.earliest(.earliest(limit, nameFiles.nextTry), tracker.nextHops?.deadline)
    if isFailing {
      // A failing socket ends every wait immediately. So it is left out, and read again after an interval.
      deadline = .earliest(deadline, Moment.now.advanced(by: NetworkTracker.retryInterval))
    } else if tracker.hasNews || !heard.isEmpty {
      deadline = Moment.now
    }
    return (!isFailing, nameFiles.descriptor, tracker.policies.descriptor, deadline)
  }

  /// Takes the changes since the last call; more may wait to be read.
  ///
  /// - Parameter isOfPolicies: Whether IPsec policies may have changed.
  mutating func takeChange(isAfterSleep: Bool, isOfPolicies: Bool) -> NetworkChange {
    // Anything may have changed during a sleep.
    if isAfterSleep { tracker.refresh() }
    // Most changes of routes have one message. The next lookup reads those that follow.
    var change = tracker.takeChange(readingAtLeast: 1)
    if !heard.isEmpty {
      change.formUnion(heard)
      heard = NetworkChange()
    }
    change.names = nameFiles.takeChange()
    if tracker.isNextHopCheckDue() { change.nextHops = true }
    if isOfPolicies, tracker.takePolicyNews() { change.formUnion(.all) }
    return change
  }

  /// Whether the kernel may be in the middle of the change that was taken last.
  var isChangeInProgress: Bool { tracker.unfinished.isInProgress }

  /// Takes the changes that arrived since ``takeChange(isAfterSleep:isOfPolicies:)``.
  mutating func takeLateChange() -> NetworkChange { tracker.takeChange() }

  /// Reads the changes that arrived during an evaluation; the next ``takeChange(isAfterSleep:isOfPolicies:)`` returns them.
  ///
  /// The kernel has made all that it announced before the evaluation.
  mutating func hearMore() -> NetworkChange { tracker.peekAtChange() }

  /// Returns whether an answer since the last call may come from a route that the kernel is about to delete.
  mutating func takeSuspicion() -> Bool {
    defer { tracker.hasSuspectAnswer = false }
    return tracker.hasSuspectAnswer
  }

  mutating func evaluate(_ targets: [ReachabilityTarget]) -> [Evaluation] {
    _ = removeFilter(ifItDrops: targets.lazy.flatMap(\.routedAddresses))
    _ = removeFilter(ifItDrops: tracker.tunnelAddresses)
    return tracker.evaluateObserved(targets)
  }

  mutating func evaluatePath(
    _ nameServers: [ReachabilityPath.NameServer], _ metering: (any MeteringSource)?
  ) -> PathEvaluation {
    let evaluation = tracker.evaluateObservedPath(nameServers, metering)
    // Only the evaluation names all addresses. A change of their routes may have been dropped since.
    let addresses = evaluation.routedAddresses + tracker.tunnelAddresses
    guard removeFilter(ifItDrops: addresses) else { return evaluation }
    return tracker.evaluateObservedPath(nameServers, metering)
  }

  /// Removes a filter that drops announcements for some of these addresses; returns whether there was one.
  private mutating func removeFilter(ifItDrops addresses: some Sequence<IPAddress>) -> Bool {
    let missed = interest.missed(addresses)
    guard !missed.isEmpty else { return false }
    _ = tracker.limitRoutes(to: nil)
    interest.noteRemoval()
    // A route may have been announced, and dropped, the moment before it takes effect.
    heard.missed += missed.compactMap { IPPrefix($0, length: $0.bitWidth) }
    return true
  }
}
#endif
