// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import ReachabilityKit
import Synchronization

/// The resources of this process at one moment.
struct Holdings {
  let kilobytes: Int
  let descriptors: Int
  let threads: Int

  static var now: Holdings {
    Holdings(
      kilobytes: number(after: "VmRSS:"), descriptors: entries(in: "/proc/self/fd") - 1,
      threads: number(after: "Threads:"))
  }

  /// Waits briefly until the process has no more descriptors than before: threads end shortly after their owners.
  static func settled(to before: Holdings) -> Holdings {
    for _ in 0..<500 where now.descriptors > before.descriptors { usleep(10000) }
    return now
  }

  /// Returns a number from this process's status.
  private static func number(after label: String) -> Int {
    guard let file = fopen("/proc/self/status", "re") else { return -1 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard text.hasPrefix(label) else { continue }
      let digits = text.dropFirst(label.count).drop { $0 == "\t" || $0 == " " }.prefix { $0.isNumber }
      return Int(digits) ?? -1
    }
    return -1
  }

  private static func entries(in path: String) -> Int {
    guard let folder = opendir(path) else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count - 2
  }
}

extension String {
  func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
  func leftPadded(_ width: Int) -> String { String(repeating: " ", count: max(width - count, 0)) + self }
}

/// A frequently repeated action.
struct Trial {
  var name: String
  var count: Int
  var body: (Int) -> Void

  /// Warms up with a tenth of the repetitions, then runs all; the resources before and after must be equal.
  ///
  /// - Returns: Whether they were.
  func run(scale: Int) -> Bool {
    let count = count / scale
    let idle = Holdings.now
    body(count / 10)
    let before = Holdings.settled(to: idle)
    let duration = ContinuousClock().measure { body(count) }
    let after = Holdings.settled(to: before)
    let isFlat =
      after.kilobytes - before.kilobytes < 1024 && after.descriptors == before.descriptors
      && after.threads <= before.threads + 8
    func pair(_ value: KeyPath<Holdings, Int>) -> String {
      "\(before[keyPath: value]) → \(after[keyPath: value])"
    }
    print(
      name.padded(38), "\(count)".leftPadded(9), "\(Int(duration / .seconds(1))) s".leftPadded(7),
      pair(\.kilobytes).leftPadded(16), pair(\.descriptors).leftPadded(9), pair(\.threads).leftPadded(9),
      isFlat ? "" : " grew")
    // Also into a pipe.
    fflush(nil)
    return isFlat
  }
}

let far = ReachabilityTarget.address("8.8.8.8")
let watched = try ReachabilityMonitor()
let received = Mutex(0)
let last = Mutex<ReachabilityStatus?>(nil)
let queue = DispatchQueue(label: "endurance")
let tokens = [far, .defaultRoute, .address("10.8.0.1")].map { target in
  watched.observe(target, on: queue) { event in
    received.withLock { $0 += 1 }
    if event.target == far { last.withLock { $0 = event.status } }
  }
}
let path = watched.observePath(on: queue) { _ in received.withLock { $0 += 1 } }

/// Changes unrelated routes, an observed target's, and the default route; waits until the observer has the present
/// status.
func changeRoutes(_ count: Int) {
  let lines = """
    route add 10.77.0.0/16 via 10.1.0.7
    route add blackhole 8.8.8.8/32
    route replace default via 10.1.0.253
    route del 10.77.0.0/16
    route del blackhole 8.8.8.8/32
    route replace default via 10.1.0.254
    """
  let whole = (count + 5) / 6 * 6
  guard system("yes '\(lines)' | head -n \(whole) | ip -batch -") == 0 else { fatalError("ip failed") }
  for _ in 0..<3000 where last.withLock({ $0 }) != watched.currentStatus(of: far) { usleep(10000) }
  guard last.withLock({ $0 }) == watched.currentStatus(of: far) else {
    fatalError("the last change was not delivered")
  }
  queue.sync {}
}

/// Streams without a reader.
var unread: [any AsyncIteratorProtocol<ReachabilityEvent, Never>] = []

let trials = [
  Trial(name: "changes of routes, 4 observers", count: 1_000_000) { changeRoutes($0) },
  Trial(name: "changes, with 10 unread streams", count: 100_000) { count in
    if unread.isEmpty { unread = (0..<10).map { _ in watched.events(of: far).makeAsyncIterator() } }
    changeRoutes(count)
  },
  Trial(name: "observations, begun and cancelled", count: 100_000) { count in
    for number in 0..<count {
      let target = try? ReachabilityTarget("10.\(number / 62500 % 8).\(number / 250 % 250).\(number % 250)")
      guard let target else { fatalError("not an address") }
      let token = watched.observe(target, on: queue) { _ in }
      // The others are released.
      if number % 2 == 0 { token.cancel() }
      if number % 100 == 0 { queue.sync {} }
    }
    queue.sync {}
  },
  Trial(name: "observations of the path", count: 100_000) { count in
    for number in 0..<count {
      watched.observePath(on: queue) { _ in }.cancel()
      // Pending work of a busy queue is not a leak.
      if number % 100 == 0 { queue.sync {} }
    }
    queue.sync {}
  },
  Trial(name: "monitors, created, used and released", count: 100_000) { count in
    for _ in 0..<count {
      guard let monitor = try? ReachabilityMonitor() else { fatalError("no monitor") }
      let isReceived = DispatchSemaphore(value: 0)
      let token = monitor.observe(far, on: queue) { _ in isReceived.signal() }
      let path = monitor.observePath(on: queue) { _ in isReceived.signal() }
      isReceived.wait()
      isReceived.wait()
      withExtendedLifetime((token, path)) {}
    }
    queue.sync {}
  },
]

print(
  "what".padded(38), "times".leftPadded(9), "took".leftPadded(7), "RSS, kB".leftPadded(16),
  "files".leftPadded(9), "threads".leftPadded(9))
let scale = CommandLine.arguments.contains("--short") ? 100 : 1
let results = trials.map { $0.run(scale: scale) }
print("events received by the first 4:", received.withLock { $0 })
withExtendedLifetime((tokens, path, unread)) {}
exit(results.allSatisfy(\.self) ? 0 : 1)
