import AFNetworkReachability
import Synchronization

/// What listeners were told, in the order in which they were.
final class Told: Sendable {
  enum Event: Equatable, Sendable {
    /// Observation says that something will change.
    case change
    case block(AFNetworkReachabilityStatus)
    case observer(Int, AFNetworkReachabilityStatus)
    case notification(AFNetworkReachabilityStatus)
  }

  private let events = Mutex<[Event]>([])
  private let stream = AsyncStream.makeStream(of: Event.self)

  func note(_ event: Event) {
    events.withLock { $0.append(event) }
    stream.continuation.yield(event)
  }

  /// All that was told.
  var all: [Event] { events.withLock { $0 } }

  /// Waits for the next event that was not waited for yet; `nil` if the test's time is over.
  func next() async -> Event? {
    for await event in stream.stream { return event }
    return nil
  }
}
