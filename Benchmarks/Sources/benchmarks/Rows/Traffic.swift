// SPDX-License-Identifier: Apache-2.0
import CRaw
import Glibc
import ReachabilityKit

extension Row {
  static let traffic = Row(
    name: "traffic",
    summary: "processor time of evidence with 1,000 and 20,000 TCP connections, each to another peer"
  ) { bench in
    [(1000, "1,000", 0.5), (20_000, "20,000", 5)].flatMap { count, name, limit -> [Line] in
      let network = Network()
      network.addFarAddresses()
      let connections = Connections(count, in: network)
      defer { connections.stop() }
      return network.inside {
        let rounds = bench.amount(5, quick: 1)
        var (listed, raw, sockets) = (Series(), Series(), Series())
        for _ in 0..<rounds {
          let child = Child(.evidence, ["3"])
          listed.add(child.numbers())
          child.stop()
          raw.add(
            (0..<3).map { _ in
              var time: Int64 = 0
              precondition(raw_list_connections(&time) == count)
              return time
            })
          sockets.add(
            (0..<3).map { _ in
              let before = raw_children_time()
              _ = runs(["sh", "-c", "exec ss -Htin state connected >/dev/null"], 1)
              return raw_children_time() - before
            })
        }
        let quiet = Child(.quietEvidence, [String(bench.amount(30, quick: 5))])
        defer { quiet.stop() }
        return [
          Line(
            "a turn without retransmissions, \(name) connections", .milliseconds,
            Double(quiet.numbers()[0]) / 1e6, goal: limit),
          Line("a list of \(name) connections; raw sock_diag", .milliseconds, listed, raw),
          Line("the same; ss -ti, whole process", .milliseconds, listed, sockets),
        ]
      }
    }
  }
}

/// Processes that hold connections; one process may not have as many descriptors.
private struct Connections {
  private var children: [Child] = []

  init(_ count: Int, in network: Network) {
    let step = 4000
    for start in stride(from: 0, to: count, by: step) {
      let words = [String(5000 + start / step), String(min(step, count - start))]
      let acceptor = network.farInside { Child(.acceptor, words) }
      acceptor.line()
      let client = network.inside { Child(.connections, words) }
      client.line()
      children += [acceptor, client]
    }
  }

  func stop() { children.forEach { $0.stop() } }
}

extension Child {
  static func playAcceptor(_ port: Int, count: Int) {
    let listener = raw_listen(UInt16(port), count)
    tell(0)
    raw_accept(listener, count)
    waitForQuestion()
  }

  static func playConnections(_ port: Int, count: Int) {
    raw_connect(0x0a80_0001 + UInt32(port - 5000) << 12, UInt16(port), count)
    tell(0)
    waitForQuestion()
  }

  /// Reports the processor time of readings.
  static func playEvidence(_ count: Int) {
    let monitor = openMonitor()
    let peer = target("10.128.0.1")
    // Opens the socket.
    var last = monitor.evidence(for: peer)
    var times: [Int64] = []
    while times.count < count {
      let before = processorTime
      let evidence = monitor.evidence(for: peer)
      precondition(evidence.connections == 1)
      let time = processorTime - before
      // Calls within the interval share a reading, whose ages are equal.
      if evidence.received != last.received { times.append(time) }
      last = evidence
      usleep(100_000)
    }
    tell(numbers: times)
    waitForQuestion()
  }

  /// Reports the mean processor time of an observer's turn while nothing is retransmitted.
  static func playQuietEvidence(_ seconds: Int) {
    let monitor = openMonitor()
    let task = Task {
      for await _ in monitor.evidence(for: target("10.128.0.1"), every: .seconds(1)) {}
    }
    usleep(500_000)
    let before = processorTime
    sleep(UInt32(seconds))
    tell((processorTime - before) / Int64(seconds))
    task.cancel()
    waitForQuestion()
  }
}
