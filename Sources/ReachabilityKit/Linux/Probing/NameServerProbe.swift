// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink
import POSIX

/// A query that is sent to several name servers concurrently, over UDP.
struct NameServerProbe: Sendable {
  let servers: [ReachabilityPath.NameServer]
  /// The interface indexes of the servers' zones.
  let interfaces: [UInt32?]
  let question: NameQuestion
  let timeout: Duration

  /// The interval between retransmissions.
  private static let interval = Duration.seconds(1)

  /// A reply, with the sender of the ICMP message if it is an error that one reported.
  typealias Answer = (reply: NameServerReply, reporter: ReachabilityAddress?)

  func run(_ interruption: Interruption) -> [ReachabilityPath.NameServer: Answer] {
    let begin = Moment.now
    var now: Duration { begin.duration(to: .now) }
    var replies: [Int: Answer] = [:]
    var sockets: [Int: ProbeSocket] = [:]
    for (place, server) in servers.enumerated() {
      do throws(Errno) {
        sockets[place] = try ProbeSocket(
          .datagrams, to: server.target, server.address, port: ReachabilityPath.NameServer.port,
          interface: interfaces[place])
      } catch {
        replies[place] = (.failed(error.description), nil)
      }
    }
    var nextSending = Duration.zero
    while !sockets.isEmpty, now < timeout, !interruption.isInterrupted {
      if nextSending <= now {
        // The next receive reports an error.
        for socket in sockets.values { try? socket.send(question.bytes) }
        nextSending = now + Self.interval
      }
      for place in interruption.wait(for: sockets, forInput: true, min(nextSending, timeout) - now) {
        guard let reply = sockets[place].flatMap({ reply(from: $0, after: now) }) else { continue }
        replies[place] = reply
        sockets[place] = nil
      }
    }
    for place in sockets.keys { replies[place] = (.silent(for: now), nil) }
    return Dictionary(replies.map { (servers[$0.key], $0.value) }) { one, _ in one }
  }

  private func reply(from socket: ProbeSocket, after duration: Duration) -> Answer? {
    do throws(Errno) {
      while let message = try socket.receive() {
        if let code = question.code(of: message) { return (.answered(code: code, after: duration), nil) }
      }
      // An error that a send has returned already would stay ready.
      _ = socket.reporter
      return nil
    } catch {
      let reporter = socket.reporter
      // Without the option that keeps the sender, the kernel reports neither; another datagram may arrive.
      if [.hostUnreachable, .networkUnreachable].contains(error) { return nil }
      return (.failed(error.description), reporter)
    }
  }
}
#endif
