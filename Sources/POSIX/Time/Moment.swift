/// A moment of `SuspendingClock`, which stands still while the machine sleeps.
///
/// The clock's own instants have no size that the compiler knows, so each optional of them takes calls of the runtime.
package struct Moment: InstantProtocol {
  private let sinceOrigin: Duration

  private static let origin = SuspendingClock().now

  package static var now: Moment { Moment(sinceOrigin: origin.duration(to: SuspendingClock().now)) }

  package static func < (one: Moment, other: Moment) -> Bool { one.sinceOrigin < other.sinceOrigin }

  package func advanced(by duration: Duration) -> Moment { Moment(sinceOrigin: sinceOrigin + duration) }

  package func duration(to other: Moment) -> Duration { other.sinceOrigin - sinceOrigin }

  /// Returns the earlier of two moments, or the only one.
  package static func earliest(_ one: Moment?, _ other: Moment?) -> Moment? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}
