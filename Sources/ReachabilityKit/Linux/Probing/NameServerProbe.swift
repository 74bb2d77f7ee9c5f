#if os(Linux)
import Netlink
import POSIX

extension LinuxNetworkSource {
  func askNameServers(
    for name: ReachabilityTarget.HostName, within timeout: Duration
  ) async throws -> [ReachabilityPath.NameServer: NameServerReply] {
    guard let servers = surroundings.nameServers?.list, !servers.isEmpty else { return [:] }
    let probe = NameServerProbe(
      servers: servers, interfaces: indexes(of: servers.map(\.zone)), question: NameQuestion(name),
      timeout: timeout)
    return try await Interruption.run(on: threads, named: "ask") { probe.run($0) }
  }
}

/// Asks name servers the same question over UDP, all at once.
private struct NameServerProbe: Sendable {
  let servers: [ReachabilityPath.NameServer]
  /// The indexes of the servers' zones.
  let interfaces: [UInt32?]
  let question: NameQuestion
  let timeout: Duration

  /// When a question that may have been lost is sent again.
  private static let interval = Duration.seconds(1)

  func run(_ interruption: Interruption) -> [ReachabilityPath.NameServer: NameServerReply] {
    let clock = SuspendingClock()
    let begin = clock.now
    var now: Duration { begin.duration(to: clock.now) }
    var replies: [Int: NameServerReply] = [:]
    var sockets: [Int: ProbeSocket] = [:]
    for (place, server) in servers.enumerated() {
      do throws(Errno) {
        sockets[place] = try ProbeSocket(
          .datagrams, to: server.target, server.address, port: ReachabilityPath.NameServer.port,
          interface: interfaces[place])
      } catch {
        replies[place] = .failed(error.description)
      }
    }
    var nextSending = Duration.zero
    while !sockets.isEmpty, now < timeout, !interruption.isInterrupted {
      if nextSending <= now {
        // What could not be sent is told by the next reception.
        for socket in sockets.values { try? socket.send(question.bytes) }
        nextSending = now + Self.interval
      }
      for place in interruption.wait(for: sockets, forInput: true, min(nextSending, timeout) - now) {
        guard let reply = sockets[place].flatMap({ reply(from: $0, after: now) }) else { continue }
        replies[place] = reply
        sockets[place] = nil
      }
    }
    for place in sockets.keys { replies[place] = .silent(for: now) }
    return Dictionary(replies.map { (servers[$0.key], $0.value) }) { one, _ in one }
  }

  private func reply(from socket: ProbeSocket, after duration: Duration) -> NameServerReply? {
    do throws(Errno) {
      while let message = try socket.receive() {
        if let code = question.code(of: message) { return .answered(code: code, after: duration) }
      }
      return nil
    } catch {
      return .failed(error.description)
    }
  }
}
#endif
