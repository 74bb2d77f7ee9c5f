// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// A list of announcements as events; `nil` stands for a loss.
private struct EventList: AnnouncementReceiver {
  var events: [RouteEvent?] = []

  mutating func receive(_ message: Message, of bytes: RawSpan) throws(DecodingError) {
    events.append(try RouteEvent(message, of: bytes))
  }

  mutating func receiveLoss() { events.append(nil) }
}

extension RouteSubscription {
  /// Receives the queued datagrams, up to a limit, and passes their events on; `nil` stands for a loss.
  package mutating func drain(limit: Int, _ handle: (RouteEvent?) -> Void) throws(NetlinkError) -> Outcome {
    var list = EventList()
    defer { list.events.forEach(handle) }
    return try drain(limit: limit, informing: &list)
  }

  /// Looks up one route, and passes on the events before its answer; `nil` stands for a loss.
  package mutating func ask(_ request: RouteRequest, _ handle: (RouteEvent?) -> Void) throws(NetlinkError) {
    var list = EventList()
    defer { list.events.forEach(handle) }
    try ask({ request.encode(into: &$0) }, informing: &list)
  }
}
#endif
