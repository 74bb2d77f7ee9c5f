#if os(Linux)
/// Hears what the kernel announces of links, addresses, routes, rules, next hops and their settings.
///
/// One owner at a time. Nothing is taken from the socket but by ``drain(limit:_:)``.
package struct RouteSubscription: ~Copyable, Sendable {
  private let channel: any Transport
  /// How often messages were lost because the buffer was full.
  package private(set) var overruns = 0
  /// How many datagrams came from somebody else than the kernel.
  package private(set) var foreignDatagrams = 0
  /// How many messages could not be read.
  package private(set) var malformedMessages = 0
  private var buffer = [UInt8](repeating: 0, count: 8192)

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
      let datagram: Datagram
      do throws(Errno) {
        datagram = try channel.receive(into: &buffer, blocking: false)
      } catch .wouldBlock {
        return .empty
      } catch .noBufferSpace {
        overruns += 1
        handle(nil)
        continue
      } catch {
        throw NetlinkError(.system, attempt: "receive changes", errno: error)
      }
      guard datagram.senderPort == 0 else {
        foreignDatagrams += 1
        continue
      }
      guard datagram.count <= buffer.count else {
        buffer = Array(repeating: 0, count: datagram.count.alignedToNetlink)
        overruns += 1
        handle(nil)
        continue
      }
      do throws(DecodingError) {
        try decode(length: datagram.count, handle)
      } catch {
        malformedMessages += 1
        handle(nil)
      }
    }
    return .moreWaits
  }

  private func decode(length: Int, _ handle: (RouteEvent?) -> Void) throws(DecodingError) {
    let bytes = RawSpan(_elements: buffer.span)
    var messages = MessageReader(in: 0..<length)
    while let message = try messages.next(bytes) {
      handle(try RouteEvent(message, of: bytes))
    }
  }
}
#endif
