#if os(Linux)
/// What was done and seen.
struct Tally {
  var steps = 0
  var commands = 0
  /// Commands that `ip` or the kernel refused.
  var refusals = 0
  /// Statuses that were compared with iproute2's answers, and those of them that were compared with sockets too.
  var comparisons = 0
  var sockets = 0
  /// Datagrams that were sent, and looked for where they should arrive.
  var packets = 0
  /// Changes that observers were told of.
  var events = 0
  /// Comparisons that were in order only a moment later, such as while the kernel was about to announce a change.
  var late = 0
  var disagreements = 0
  var longestDelay = Duration.zero
  /// How many of the compared statuses were reachable, or not reachable for which reason.
  var states: [String: Int] = [:]

  /// A summary of some lines.
  func text(since start: SuspendingClock.Instant) -> String {
    let seconds = start.duration(to: .now) / .seconds(1)
    let shares = states.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    return """
      \(steps) steps (\(commands) commands, \(refusals) of them refused) in \(Int(seconds)) s, \
      \(Int(Double(steps) / max(seconds, 0.001))) a second
      \(comparisons) statuses compared with iproute2, \(sockets) with sockets, \(packets) packets sent, \(late) of them agreed only after a moment
      \(events) changes told; longest wait \(Int(longestDelay / .milliseconds(1))) ms
      \(disagreements) disagreements
      \(shares)
      """
  }
}
#endif
