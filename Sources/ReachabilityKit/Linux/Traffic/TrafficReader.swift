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
      history.note(received: received, sent: sent, at: moment)
      histories[counter.index] = history
    }
    tunnels = histories
    return histories.compactMapValues { $0.silence(at: moment) }
  }
}
#endif
