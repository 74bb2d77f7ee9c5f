// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import Netlink
import POSIX

/// Reads the connections of a network namespace.
///
/// Opens its socket with the first reading, so that it costs nothing before. One owner at a time.
struct TrafficReader: ~Copyable, Sendable {
  private var client: SocketClient?
  /// `/proc/net/snmp` of the network namespace; `nil` if it can't be read.
  private var statistics: OpenFile?
  /// `tcp_fin_timeout` of the network namespace: the seconds for which a closed connection waits for the peer's end; `nil` if it
  /// can't be read.
  private var closingTime: OpenFile?
  private(set) var last: TrafficReading?
  /// The least age of the last reading before the next one.
  private(set) var interval: Duration = .seconds(1)
  private var tunnels: [Int32: TunnelHistory] = [:]
  /// Starts threads in the network namespace.
  private let threads: ThreadStarter

  init(threads: @escaping ThreadStarter) {
    self.threads = threads
  }

  /// Readings take at most this part of a processor.
  private static var processorShare: Int { 200 }

  /// Lists the connections, and records the cost.
  mutating func connections() throws(NetlinkError) -> [TrafficConnection] {
    let start = ProcessorTime.ofThread
    let effective = SocketUser.effective
    let user = UserNamespace.isUnique(effective) ? effective : nil
    let wait = closingTime.flatMap { try? $0.contents(upTo: 64) }.flatMap(TrafficConnection.closingTime)
    var connections: [TrafficConnection] = []
    try client?.connections {
      connections.removeAll(keepingCapacity: true)
    } each: { socket in
      if let connection = TrafficConnection(socket, user: user, closingTime: wait) {
        connections.append(connection)
      }
    }
    interval = max(.seconds(1), (ProcessorTime.ofThread - start) * Self.processorShare)
    return connections
  }

  mutating func remember(_ reading: TrafficReading) { last = reading }

  /// The present counters; `nil` if they can't be read.
  func counters() -> TrafficCounters? {
    statistics.flatMap { try? $0.contents(upTo: 8192) }.flatMap(TrafficCounters.init)
  }

  /// Opens the socket and the file, once, in the network namespace, where the calling thread may not be.
  mutating func open() throws(NetlinkError) {
    guard client == nil else { return }
    let opening = Handover<(Result<KernelTransport, Errno>, OpenFile?, OpenFile?)>()
    do throws(ReachabilityMonitorError) {
      try threads("traffic") {
        opening.fulfil(
          (
            Result { () throws(Errno) in try KernelTransport(.socketDiagnosis) },
            try? OpenFile("/proc/thread-self/net/snmp"), try? OpenFile("/proc/sys/net/ipv4/tcp_fin_timeout")
          ))
      }
    } catch {
      throw NetlinkError(.system, attempt: "start a thread", errno: error.errorNumber.map(Errno.init))
    }
    let (transport, counters, time) = opening.wait()
    (statistics, closingTime) = (counters, time)
    switch transport {
    case .success(let transport): client = SocketClient(over: transport)
    case .failure(let error):
      throw NetlinkError(.system, attempt: "open a socket for the list of sockets", errno: error)
    }
  }

  /// Adds the counters of tunnels; returns for how long each has sent packets and received none.
  mutating func silentTunnels(_ counters: [StatisticsMessage], at moment: Moment) -> [Int32: Duration] {
    var histories: [Int32: TunnelHistory] = [:]
    for counter in counters {
      guard let received = counter.received, let sent = counter.sent else { continue }
      var history = tunnels[counter.index] ?? TunnelHistory(received: received, sent: sent, since: moment)
      history.record(received: received, sent: sent, at: moment)
      histories[counter.index] = history
    }
    tunnels = histories
    return histories.compactMapValues { $0.silence(at: moment) }
  }
}

extension TrafficConnection {
  /// Creates a connection, or returns `nil` for one without measurements that was not closed.
  ///
  /// - Parameters:
  ///   - user: The calling user; `nil` if its number stands for other users too.
  ///   - closingTime: The time in milliseconds for which a closed connection waits for the peer's end.
  init?(_ socket: SocketMessage, user: UInt32?, closingTime: Int? = nil) {
    guard let metrics = socket.metrics else {
      let lifetime: Int
      switch socket.state {
      case .timeWait: lifetime = Self.closedLifetime
      case .finWait2: lifetime = closingTime ?? Self.closedLifetime
      default: return nil
      }
      self.init(
        local: socket.local.unmapped, peer: socket.remote.unmapped, peerPort: socket.remotePort,
        boundInterface: socket.interface, isOwn: false,
        // The timer starts with the last segment of the peer,
        received: max(lifetime - Int(socket.expiry), 0), identity: socket.cookie)
      // or, before the peer's end, with the call that closed a connection whose end was acknowledged before.
      mayBeOlder = socket.state == .finWait2
      return
    }
    let isConnecting = socket.state == .synSent || socket.state == .synReceived
    // Those of a stall that may begin are not known to be lost. A tail loss probe may precede the timeouts.
    let pending = metrics.unacknowledged > 0 ? Int(metrics.timeouts) + 1 : 0
    self.init(
      local: socket.local.unmapped, peer: socket.remote.unmapped, peerPort: socket.remotePort,
      boundInterface: socket.interface,
      // Without a process, a socket's owner is reported as the superuser.
      isOwn: socket.user == user && socket.inode != 0,
      received: isConnecting ? nil : Int(min(metrics.sinceData, metrics.sinceAcknowledgement)),
      unanswered: Unanswered(socket, metrics), pathMTU: Int(metrics.pathMTU),
      identity: socket.cookie, acknowledged: metrics.acknowledgedBytes,
      losses: SegmentLosses(
        sent: max(Int(metrics.sentDataSegments) - pending, 0),
        lost: max(Int(metrics.retransmissions) - pending, 0)))
  }

  /// The time in milliseconds for which the kernel keeps a closed connection, `TCP_TIMEWAIT_LEN`.
  private static var closedLifetime: Int { 60_000 }

  /// Reads the text of `tcp_fin_timeout`, in seconds; returns milliseconds.
  static func closingTime(_ text: [UInt8]) -> Int? {
    Int(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)).map { $0 * 1000 }
  }
}

extension SocketMessage {
  /// The index of the interface that the socket is bound to.
  fileprivate var interface: Int32? { boundInterface == 0 ? nil : Int32(clamping: boundInterface) }
}

extension TrafficConnection.Unanswered {
  /// Returns `nil` if no timer expired since the last acknowledgement.
  fileprivate init?(_ socket: SocketMessage, _ metrics: TCPMetrics) {
    let isHeldBack =
      socket.timer == .windowProbe ? metrics.isDataHeldBack : metrics.isRepetitionHeldBack
    let timeout = Int(metrics.timeout / 1000)
    let (age, timeouts, sinceSent): (Int, Int, Int)
    switch socket.timer {
    case .retransmission where metrics.timeouts > 0 && metrics.unacknowledged > 0:
      timeouts = Int(metrics.timeouts)
      let doublings = min(Int(metrics.backoff), timeouts)
      let first = timeout >> doublings
      // The first timeouts of a connecting socket are not doubled. Where a queue of this machine is full, they are shorter.
      let repeated = isHeldBack ? min(first, Self.pause) : first
      let undoubled = timeouts > doublings ? first + (timeouts - doublings - 1) * repeated : 0
      sinceSent = max((isHeldBack && doublings == 0 ? repeated : timeout) - Int(socket.expiry), 0)
      age = undoubled + (timeout - first) + sinceSent
    case .windowProbe where isHeldBack && metrics.probes > 0:
      // Each probe repeats what was never sent. The interval doubles where a rule drops it.
      timeouts = Int(metrics.probes)
      let doublings = min(Int(metrics.backoff), timeouts, 16)
      let pauses = timeouts - doublings
      let doubled = (timeout << doublings) - timeout
      sinceSent = max((pauses > 0 ? Self.pause : timeout << doublings) - Int(socket.expiry), 0)
      age = doubled + (doublings == 0 ? timeout + (pauses - 1) * Self.pause : pauses * Self.pause) + sinceSent
    case .windowProbe where metrics.probes > 1:
      // The first unanswered probe is what was sent; the following ones repeat it. Their intervals double, also while
      // they are answered, up to two minutes (TCP_RTO_MAX).
      timeouts = Int(metrics.probes) - 1
      let interval = min(timeout << min(Int(metrics.backoff), 16), 120_000)
      sinceSent = max(interval - Int(socket.expiry), 0)
      let earlier = (0..<timeouts).reduce(0) { $0 + interval >> min($1 + 1, 16) }
      age = min(earlier + sinceSent, Int(metrics.sinceAcknowledgement))
    default: return nil
    }
    let outstanding = Int(socket.unacknowledgedBytes) - Int(metrics.unsentBytes)
    // A timeout is doubled in place; the interval of probes is not.
    let first = socket.timer == .windowProbe ? timeout : timeout >> min(Int(metrics.backoff), 16)
    self.init(
      age: age, timeouts: timeouts, timeout: first,
      isLarge: !isHeldBack && metrics.unacknowledged > 0 && outstanding >= Int(metrics.segmentSize),
      // Where segments are lost at random, most are received.
      isPartlyReceived: metrics.selectivelyAcknowledged > 0
        && metrics.selectivelyAcknowledged <= metrics.unacknowledged / 2,
      sinceSent: sinceSent, heldBack: isHeldBack ? timeouts + (metrics.unacknowledged == 0 ? 1 : 0) : 0,
      areProbes: !isHeldBack && socket.timer == .windowProbe,
      // Data in a queue counts as sent, so what is probed is in none.
      sinceTry: isHeldBack && metrics.unacknowledged > 0 ? max(timeout - Int(socket.expiry), 0) : nil)
  }

  /// The time in milliseconds after which the kernel tries again where its own queues are full (TCP_RESOURCE_PROBE_INTERVAL).
  private static var pause: Int { 500 }
}

/// What the counters of a tunnel showed since it received a packet.
struct TunnelHistory {
  private var received: UInt64
  private var sent: UInt64
  /// The moment of the first reading with this number of received packets.
  private var since: Moment
  /// The moment of the first reading with more sent packets, and nothing received.
  private var firstSent: Moment?
  /// The number of readings with more sent packets than the one before.
  private var growths = 0

  init(received: UInt64, sent: UInt64, since moment: Moment) {
    self.received = received
    self.sent = sent
    since = moment
  }

  /// A tunnel whose packets are answered receives something within this time: WireGuard sends a keep-alive after 10 s.
  private static var limit: Duration { .seconds(15) }
  private static var growthLimit: Int { 3 }

  mutating func record(received: UInt64, sent: UInt64, at moment: Moment) {
    if received != self.received {
      self = TunnelHistory(received: received, sent: sent, since: moment)
    } else if sent != self.sent {
      self.sent = sent
      growths += 1
      firstSent = firstSent ?? moment
    }
  }

  /// Returns for how long packets were sent and none received, if that means something.
  func silence(at moment: Moment) -> Duration? {
    guard let firstSent, growths >= Self.growthLimit else { return nil }
    let silence = firstSent.duration(to: moment)
    return silence >= Self.limit ? silence : nil
  }
}
#endif
