// SPDX-License-Identifier: Apache-2.0
import CRaw
import Dispatch
import Glibc
import ReachabilityKit
import Synchronization

extension Row {
  static let latency = Row(
    name: "latency",
    summary: "a route changes after 2 ms of rest: from the request to handlers, tasks and lines of commands"
  ) { bench in
    lines(bench, rest: 2, rounds: bench.amount(9, quick: 2), count: bench.amount(200, quick: 30))
  }

  static let rested = Row(name: "rested", summary: "the same after 100 ms of rest") { bench in
    lines(bench, rest: 100, rounds: bench.amount(5, quick: 1), count: bench.amount(10, quick: 3))
  }

  static let cold = Row(name: "cold", summary: "the same after 5 s of rest (0.2 s in a quick run)") { bench in
    lines(bench, rest: bench.amount(5000, quick: 200), rounds: bench.amount(7, quick: 1), count: 1)
  }

  /// Compares processes that receive changes, each of them after so many milliseconds of rest.
  private static func lines(_ bench: Bench, rest: Int, rounds: Int, count: Int) -> [Line] {
    func changeDefault(_ changer: CInt, _ isChange: CInt) -> Int64 {
      raw_change_default(changer, Network.gateway, 1 - isChange)
    }
    var contenders = [
      "handler on the monitor's thread": Contender(printsTime: true) { Child(.threadHandler) },
      "recv with a lookup": Contender(printsTime: true) { Child(.receiver) },
      "handler on a queue": Contender(printsTime: true) { Child(.queueHandlers, ["1", "1"]) },
      "recv with a queue": Contender(printsTime: true) { Child(.queueReceiver, ["1", "1"]) },
      "element of events(of:)": Contender(printsTime: true) { Child(.element) },
      "recv with an AsyncStream": Contender(printsTime: true) { Child(.streamReceiver) },
      "line of ip monitor": Contender(printsTime: false, isSilent: true) {
        Child(["ip", "monitor", "route"])
      },
      "line of ip monitor (default)": Contender(printsTime: false, isSilent: true, change: changeDefault) {
        Child(["ip", "monitor", "route"])
      },
    ]
    if let gio = bench.gio {
      contenders["GNetworkMonitor"] = Contender(printsTime: true) { Child([gio, "follow"]) }
    }
    if let command = bench.command {
      contenders["line of watch ADDRESS"] = Contender(printsTime: false) {
        Child([command, "watch", Network.changing])
      }
      contenders["line of watch default"] = Contender(printsTime: false, change: changeDefault) {
        Child([command, "watch", "default"])
      }
    }
    let names = contenders.keys.sorted()
    let results = bench.contest(
      rounds: rounds, names.compactMap { contenders[$0] }.map { one in { one.time(count, rest: rest) } })
    let series = Dictionary(uniqueKeysWithValues: zip(names, results))
    func compare(_ ours: String, _ peer: String, goal: Double) -> Line {
      let what = "\(ours), and \(peer)"
      guard let ours = series[ours], let peer = series[peer] else { return .missing(what) }
      return Line(what, .microseconds, ours, peer, goal: goal)
    }
    return [
      compare("handler on the monitor's thread", "recv with a lookup", goal: 1.3),
      compare("handler on the monitor's thread", "GNetworkMonitor", goal: 1),
      compare("handler on the monitor's thread", "line of ip monitor", goal: 1),
      compare("handler on a queue", "recv with a queue", goal: 1.25),
      compare("element of events(of:)", "recv with an AsyncStream", goal: 1.3),
      compare("line of watch ADDRESS", "line of ip monitor", goal: 1.3),
      compare("line of watch default", "line of ip monitor (default)", goal: 1.6),
    ]
  }
}

// MARK: - In the other process

/// Prints the time after each of so many calls.
private final class Calls: Sendable {
  private let size: Int
  private let count = Atomic(0)

  init(_ size: Int) { self.size = size }

  func add() {
    if count.add(1, ordering: .relaxed).newValue % size == 0 { Child.tell(raw_now()) }
  }
}

private func makeQueues(_ count: Int) -> [DispatchQueue] {
  (0..<count).map { DispatchQueue(label: "queue \($0)") }
}

/// The first status is the first line of each, so that the parent learns when they listen.
extension Child {
  static func playThreadHandler() {
    let monitor = openMonitor()
    let observation = monitor.observe(target(Network.changing), on: .monitorThread) { _ in tell(raw_now()) }
    withExtendedLifetime(observation, waitForQuestion)
  }

  /// Reports a change once all observers have received it.
  static func playQueueHandlers(_ count: Int, queues: Int) {
    let (monitor, queues, calls) = (openMonitor(), makeQueues(queues), Calls(count))
    let observations = (0..<count).map {
      monitor.observe(target(Network.changing), on: queues[$0 % queues.count]) { _ in calls.add() }
    }
    withExtendedLifetime(observations, waitForQuestion)
  }

  static func playElement() {
    let statuses = openMonitor().events(of: target(Network.changing))
    Task.detached {
      for await _ in statuses { tell(raw_now()) }
    }
    waitForQuestion()
  }

  static func playReceiver() -> Never {
    let events = raw_open_events()
    tell(0)
    while true {
      raw_receive(events)
      raw_look_up(events, Address.changing)
      tell(raw_now())
    }
  }

  static func playQueueReceiver(_ count: Int, queues: Int) -> Never {
    let (events, queues, calls) = (raw_open_events(), makeQueues(queues), Calls(count))
    tell(0)
    while true {
      raw_receive(events)
      for index in 0..<count { queues[index % queues.count].async { calls.add() } }
    }
  }

  static func playStreamReceiver() -> Never {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    Task.detached {
      for await _ in stream { tell(raw_now()) }
    }
    let events = raw_open_events()
    tell(0)
    while true {
      raw_receive(events)
      continuation.yield()
    }
  }
}
