#if os(Linux)
import InternetProtocol
import POSIX

/// Hears what the kernel announces of links, addresses, routes, rules, next hops and their settings.
///
/// One owner at a time. Nothing is taken from the socket but by ``drain(limit:_:)`` and ``ask(_:_:)``.
package struct RouteSubscription: ~Copyable, Sendable {
  private let channel: any Transport
  /// How often messages were lost because the buffer was full.
  package private(set) var overruns = 0
  /// How many datagrams came from somebody else than the kernel.
  package private(set) var foreignDatagrams = 0
  /// How many messages could not be read.
  package private(set) var malformedMessages = 0
  /// Made when something is received first: most monitors are asked and never followed.
  private var buffer: [UInt8] = []
  private var encoder = MessageEncoder()
  private var sequence: UInt32 = 0
  /// The answer to the last question, which lies in the buffer.
  private var answer: Message?
  /// Whether something was lost since the socket was last empty: the kernel may drop answers until it is again.
  private var isLossy = false

  private static var bufferSize: Int { 8192 }
  /// How often a question is put whose answer was lost.
  private static var attempts: Int { 3 }
  /// How many datagrams may come before an answer.
  private static var patience: Int { 100_000 }

  package init(over channel: any Transport) {
    self.channel = channel
  }

  /// Joins or leaves groups; the option is `NETLINK_ADD_MEMBERSHIP`.
  package mutating func setMembership(
    _ groups: [MulticastGroup], joined: Bool
  ) throws(NetlinkError) {
    for group in groups {
      do throws(Errno) {
        try channel.setMembership(group, joined: joined)
      } catch {
        throw NetlinkError(.system, attempt: "subscribe to changes", errno: error)
      }
    }
  }

  /// Has the kernel keep back announcements of routes that concern none of some addresses, or none any more.
  ///
  /// - Returns: Whether the kernel does.
  package func limitRoutes(to addresses: [IPAddress]?) -> Bool {
    guard let addresses else { return (try? channel.setFilter(nil)) != nil }
    // The memory for programs is limited too, by net.core.optmem_max.
    for limit in [SocketFilter.limit, SocketFilter.limit / 4, SocketFilter.limit / 16] {
      let filter = SocketFilter(routesFor: addresses, port: channel.port, limit: limit)
      if (try? channel.setFilter(filter)) != nil { return true }
    }
    // Another one may still be there, for other addresses.
    try? channel.setFilter(nil)
    return false
  }

  /// What draining the socket came to.
  package enum Outcome: Equatable, Sendable {
    /// Nothing waits any more.
    case empty
    /// The limit was reached; more may wait.
    case moreWaits
  }

  /// Takes what waits in the socket, up to a number of datagrams, without blocking.
  ///
  /// - Parameter handle: Gets each event, or `nil` where events were lost: an overrun, or a message that can't be
  ///   read. What was known before is then worth nothing.
  package mutating func drain(
    limit: Int, _ handle: (RouteEvent?) -> Void
  ) throws(NetlinkError) -> Outcome {
    for _ in 0..<limit {
      switch try receive(blocking: false) {
      case .nothing: return .empty
      case .foreign: continue
      case .loss: handle(nil)
      case .datagram(let datagram): _ = decode(datagram, awaiting: nil, handle)
      }
    }
    return .moreWaits
  }

  /// Asks what becomes of one packet, and hands out what was announced before the answer.
  ///
  /// The answer takes its place among the announcements, so one receive brings both, in the order in which the
  /// kernel sent them. It stays unread until something else is done with the socket.
  ///
  /// - Parameter handle: As for ``drain(limit:_:)``.
  package mutating func ask(
    _ request: RouteRequest, _ handle: (RouteEvent?) -> Void
  ) throws(NetlinkError) {
    for _ in 0..<Self.attempts {
      // Zero marks notifications.
      sequence = sequence == .max ? 1 : sequence + 1
      try send(request)
      var isLost = false
      var ignored = 0
      while !isLost {
        switch try receive(blocking: !isLossy) {
        case .foreign: break
        case .loss: handle(nil)
        case .datagram(let datagram):
          answer = decode(datagram, awaiting: sequence, handle)
          if answer != nil { return }
        case .nothing: isLost = true
        }
        ignored += 1
        guard ignored < Self.patience else { throw NetlinkError(.timedOut, attempt: Self.lookUpAttempt) }
      }
    }
    throw NetlinkError(.overrun, attempt: Self.lookUpAttempt)
  }

  /// Reads the answer to the last question.
  package func readAnswer() throws(NetlinkError) -> Result<LookupReply, Errno> {
    do throws(DecodingError) {
      guard let answer else { throw DecodingError(.badLength, at: 0) }
      return try answer.lookup(of: RawSpan(_elements: buffer.span))
    } catch {
      throw NetlinkError(.malformed, attempt: Self.lookUpAttempt, detail: error.description)
    }
  }

  /// The answer to the last question, if it is a route, to know it again.
  package var answeredRoute: KnownRoute? {
    guard let answer else { return nil }
    return KnownRoute(answer, of: RawSpan(_elements: buffer.span))
  }

  /// Whether the answer to the last question is this route, whatever its destination is.
  package func isAnswered(by route: KnownRoute) -> Bool {
    guard let answer else { return false }
    return route.isSame(as: answer, of: RawSpan(_elements: buffer.span))
  }

  private static var lookUpAttempt: String { "look up a route" }

  private mutating func send(_ request: RouteRequest) throws(NetlinkError) {
    encoder.removeAll()
    encoder.beginMessage(type: .getRoute, flags: .request, sequence: sequence)
    request.encode(into: &encoder)
    encoder.endMessage()
    do throws(Errno) {
      try encoder.withSpan { bytes throws(Errno) in try channel.send(bytes) }
    } catch {
      throw NetlinkError(.system, attempt: Self.lookUpAttempt, errno: error)
    }
  }

  /// What a receive came to.
  private enum Received {
    /// A datagram from the kernel, which fits into the buffer.
    case datagram(Datagram)
    /// A datagram from somebody else.
    case foreign
    /// Messages were lost.
    case loss
    /// Nothing waits.
    case nothing
  }

  private mutating func receive(blocking: Bool) throws(NetlinkError) -> Received {
    answer = nil
    if buffer.isEmpty { buffer = Array(repeating: 0, count: Self.bufferSize) }
    let datagram: Datagram
    do throws(Errno) {
      datagram = try channel.receive(into: &buffer, blocking: blocking)
    } catch .wouldBlock {
      guard !blocking else { throw NetlinkError(.timedOut, attempt: Self.lookUpAttempt) }
      isLossy = false
      return .nothing
    } catch .noBufferSpace {
      overruns += 1
      isLossy = true
      return .loss
    } catch {
      throw NetlinkError(.system, attempt: "receive changes", errno: error)
    }
    guard datagram.senderPort == 0 else {
      foreignDatagrams += 1
      return .foreign
    }
    guard datagram.count <= buffer.count else {
      buffer = Array(repeating: 0, count: datagram.count.alignedToNetlink)
      overruns += 1
      isLossy = true
      return .loss
    }
    return .datagram(datagram)
  }

  /// Hands out the events of a datagram, and returns the answer if it is there.
  private mutating func decode(
    _ datagram: Datagram, awaiting wanted: UInt32?, _ handle: (RouteEvent?) -> Void
  ) -> Message? {
    var unreadable = 0
    defer { malformedMessages += unreadable }
    do throws(DecodingError) {
      return try findAnswer(in: datagram, wanted, &unreadable, handle)
    } catch {
      // Where the next message begins is not known, and one of those that are missed may be the answer.
      unreadable += 1
      isLossy = true
      handle(nil)
      return nil
    }
  }

  private func findAnswer(
    in datagram: Datagram, _ wanted: UInt32?, _ unreadable: inout Int, _ handle: (RouteEvent?) -> Void
  ) throws(DecodingError) -> Message? {
    let bytes = RawSpan(_elements: buffer.span)
    var messages = MessageReader(in: 0..<datagram.count)
    while let message = try messages.next(bytes) {
      // Announcements bear the port and the sequence of the process that made the change. In another network namespace
      // that port may be equal to this one.
      guard !datagram.isAnnouncement, message.header.port == channel.port else {
        do throws(DecodingError) {
          handle(try RouteEvent(message, of: bytes))
        } catch {
          unreadable += 1
          handle(nil)
        }
        continue
      }
      // Another sequence is that of an answer that nobody waits for any more.
      if message.header.sequence == wanted { return message }
    }
    return nil
  }
}
#endif
