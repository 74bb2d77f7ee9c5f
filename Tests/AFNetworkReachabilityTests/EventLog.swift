// SPDX-License-Identifier: Apache-2.0
import AFNetworkReachability
import Synchronization

/// The events of blocks, observers and notifications, in order.
final class EventLog: Sendable {
  enum Event: Equatable, Sendable {
    /// Observation announces a change.
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

  /// All events so far.
  var all: [Event] { events.withLock { $0 } }

  /// Waits for the next event; `nil` once the test's time is over.
  func next() async -> Event? {
    for await event in stream.stream { return event }
    return nil
  }
}
