// SPDX-License-Identifier: Apache-2.0
/// The counters of a walk.
struct Tally {
  var steps = 0
  var commands = 0
  /// Commands that `ip` or the kernel refused.
  var refusals = 0
  /// Statuses that were compared with iproute2 or with packets alone, and those compared with sockets too.
  var comparisons = 0
  var sockets = 0
  /// Sent datagrams whose arrival was checked.
  var packets = 0
  /// Events that observers received.
  var events = 0
  /// Comparisons that agreed only after a delay, for example before a pending announcement.
  var late = 0
  var disagreements = 0
  var longestDelay = Duration.zero
  /// The number of compared statuses by reachability and reason.
  var states: [String: Int] = [:]

  /// A summary of a few lines.
  ///
  /// - Parameter isOfUplinks: Whether packets alone judged.
  func text(since start: SuspendingClock.Instant, isOfUplinks: Bool = false) -> String {
    let judges = isOfUplinks ? "packets" : "iproute2, \(sockets) with sockets"
    let seconds = start.duration(to: .now) / .seconds(1)
    let shares = states.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    return """
      \(steps) steps (\(commands) commands, \(refusals) of them refused) in \(Int(seconds)) s, \
      \(Int(Double(steps) / max(seconds, 0.001))) a second
      \(comparisons) statuses compared with \(judges), \(packets) packets sent, \(late) agreed after a delay
      \(events) events received; longest delay \(Int(longestDelay / .milliseconds(1))) ms
      \(disagreements) disagreements
      \(shares)
      """
  }
}
