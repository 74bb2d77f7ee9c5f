// SPDX-License-Identifier: Apache-2.0
import CRaw
import Dispatch
import Glibc
import ReachabilityKit

extension Row {
  static let memory = Row(
    name: "memory", summary: "memory by the number of routes, of targets, and of observers of one target"
  ) { bench in
    var lines: [Line] = []
    let few = bench.network(routes: 10)
    let many = bench.network(routes: 1_000_000)

    func grown(in network: Network, _ start: () -> Child) -> [Int64] {
      network.inside {
        let child = start()
        defer { child.stop() }
        return child.numbers()
      }
    }
    let growth = bench.contest(
      rounds: bench.amount(9, quick: 3),
      [
        { grown(in: many) { Child(.startedMonitor) } }, { grown(in: few) { Child(.startedMonitor) } },
      ])
    lines.append(
      Line("growth by a monitor, 1,000,000 routes, and 10", .kibibytes, growth[0], growth[1], goal: 1.1))
    if let gio = bench.gio {
      let sizes = [many, few].map { network in
        var series = Series()
        series.add(grown(in: network) { Child([gio, "memory"]) }.map { $0 * 1024 })
        return series
      }
      lines.append(
        Line("growth by GNetworkMonitor, 1,000,000 routes, and 10", .kibibytes, sizes[0], sizes[1]))
    } else {
      lines.append(.missing("growth by GNetworkMonitor"))
    }

    func add(_ what: String, _ role: Child.Role, _ count: Int, goal: Double) {
      let child = few.inside { Child(role, [String(count)]) }
      let numbers = child.numbers().map { Double($0) }
      child.stop()
      lines.append(
        Line(
          what, .bytes, numbers[0], goal: goal,
          remark: "\(Int64(numbers[1])) of resident memory"))
    }
    add("a target's, from 1,000 to 10,000", .targetMemory, 10_000, goal: 400)
    add("a target's, from 1,000 to 100,000", .targetMemory, 100_000, goal: 400)
    add("one observer, from 1,000 to 11,000 of one target", .observerMemory, 10_000, goal: 200)
    return lines
  }
}

extension Child {
  static func playStartedMonitor() {
    // Allocations that the first monitor always causes.
    let target = target(Network.address)
    let before = resident
    let monitor = openMonitor()
    let tally = Tally()
    let observation = monitor.observe(target, on: DispatchQueue(label: "memory")) { _ in tally.add() }
    wait(for: "the first status") { tally.count > 0 }
    tell(resident - before)
    waitForQuestion()
    observation.cancel()
  }

  /// Reports how many allocated, and how many resident bytes each object takes.
  private static func tellGrowth(by count: Int, _ grow: () -> Void) {
    func settle() -> (allocated: Int64, resident: Int64) {
      // Temporary allocations are freed by then.
      usleep(300_000)
      raw_trim()
      return (Int64(raw_allocated()), resident)
    }
    let before = settle()
    grow()
    let after = settle()
    tell(
      (after.allocated - before.allocated) / Int64(count), (after.resident - before.resident) / Int64(count))
    waitForQuestion()
  }

  static func playTargetMemory(_ count: Int) {
    let crowd = Crowd(capacity: count)
    crowd.grow(to: 1000)
    tellGrowth(by: count - 1000) { crowd.grow(to: count) }
  }

  static func playObserverMemory(_ count: Int) {
    let monitor = openMonitor()
    let tally = Tally()
    let handler: @Sendable (ReachabilityEvent) -> Void = { _ in tally.add() }
    let queue = DispatchQueue(label: "memory")
    let target = target(Network.address)
    var observations: [ReachabilityObservation] = []
    observations.reserveCapacity(count + 1000)
    func grow(to count: Int) {
      for _ in observations.count..<count {
        observations.append(monitor.observe(target, on: queue, handler: handler))
      }
      wait(for: "the first statuses") { tally.count >= count }
    }
    grow(to: 1000)
    tellGrowth(by: count) { grow(to: count + 1000) }
  }
}
