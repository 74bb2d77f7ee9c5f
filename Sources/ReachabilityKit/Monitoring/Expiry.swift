import POSIX

/// The end of an answer's validity: of a route's lifetime, which the kernel does not announce in time.
struct Expiry: Sendable {
  /// The end, while it is in the future.
  private(set) var end: Moment?
  /// The end that has come, until there is another answer.
  private var ended: Moment?

  var isEmpty: Bool { end == nil && ended == nil }

  /// Returns whether the end has come; once for each.
  mutating func hasCome(_ now: Moment) -> Bool {
    guard let end, end <= now else { return false }
    ended = end
    self.end = nil
    return true
  }

  /// Takes the lifetime of another answer, `nil` for unlimited.
  ///
  /// - Returns: Whether it is doubtful that there is no end. The kernel counts ends in hundredths of a second and reports
  ///   none for the last one, and its clock may be a little behind.
  mutating func renew(for lifetime: Duration?, now: Moment) -> Bool {
    let last = ended ?? end
    ended = nil
    end = lifetime.map { now.advanced(by: $0) }
    guard lifetime == nil, let last else { return false }
    return last <= now.advanced(by: .milliseconds(50))
  }
}
