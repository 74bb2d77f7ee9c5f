import CRaw
import Dispatch
import Glibc
import Reachability
import Synchronization

/// Samples of one thing, taken in turns with those of what it is compared with.
struct Series {
  var medians: [Int64] = []
  var slow: [Int64] = []

  mutating func add(_ samples: [Int64]) {
    let sorted = samples.sorted()
    medians.append(sorted[sorted.count / 2])
    slow.append(sorted[sorted.count * 99 / 100])
  }
}

/// One line of the table: ours against the yardstick, in rounds that alternate.
struct Comparison {
  var name: String
  /// What the ratio may be at most; `nil` for a line that only shows.
  var limit: Double?
  var rounds: Int
  var count: Int
  var ours: (Int) -> [Int64]
  var yardstick: (Int) -> [Int64]

  func run() -> Bool {
    var (mine, theirs) = (Series(), Series())
    for _ in 0..<rounds {
      theirs.add(yardstick(count))
      mine.add(ours(count))
    }
    let ratios = zip(mine.medians, theirs.medians).map { Double($0) / Double($1) }.sorted()
    let ratio = ratios[ratios.count / 2]
    let isGood = limit.map { ratio <= $0 } ?? true
    func microseconds(_ values: [Int64]) -> String {
      let value = values.sorted()[values.count / 2]
      return text(Double(value) / 1000, 8, decimals: 2)
    }
    print(
      name.padded(34), microseconds(mine.medians), microseconds(theirs.medians), microseconds(mine.slow),
      microseconds(theirs.slow), text(ratio, 7, decimals: 2),
      "\(text(ratios[0], 6, decimals: 2))–\(text(ratios[ratios.count - 1], 4, decimals: 2))",
      limit.map { text($0, 6, decimals: 1) } ?? "     –", isGood ? "" : "  over")
    return isGood
  }
}

func text(_ value: Double, _ width: Int, decimals: Int) -> String {
  let scale = decimals == 1 ? 10.0 : 100.0
  let rounded = Int64((value * scale).rounded())
  let fraction = String(rounded % Int64(scale))
  let digits = String(repeating: "0", count: decimals - fraction.count) + fraction
  return "\(rounded / Int64(scale)).\(digits)".leftPadded(width)
}

extension String {
  func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
  func leftPadded(_ width: Int) -> String { String(repeating: " ", count: max(width - count, 0)) + self }
}

func samples(_ count: Int, _ fill: (UnsafeMutablePointer<Int64>) -> Void) -> [Int64] {
  [Int64](unsafeUninitializedCapacity: count) { buffer, initialized in
    if let start = buffer.baseAddress { fill(start) }
    initialized = count
  }
}

/// Times whole runs of a command.
func runs(_ words: [String], _ count: Int) -> [Int64] {
  var arguments = words.map { strdup($0) } + [nil]
  defer { arguments.forEach { free($0) } }
  return samples(count) { raw_runs(&arguments, count, $0) }
}

let monitor = try NetworkMonitor()
let address = "10.9.0.1"
let target = try Target(address)
guard monitor.status(of: target).isReachable else {
  fatalError("\(address) must be reachable by a gateway here: use Benchmarks/run")
}

let lookups = Comparison(
  name: "status(of:), one address", limit: 1.5, rounds: 15, count: 20_000,
  ours: { count in
    (0..<count).map { _ in
      let before = raw_now()
      let status = monitor.status(of: target)
      let after = raw_now()
      precondition(status.isReachable)
      return after - before
    }
  },
  yardstick: { count in samples(count) { raw_lookups(address, count, $0) } })

/// Times changes of a route from the request to the handler.
func timeHandlers(_ count: Int) -> [Int64] {
  let received = Mutex<(count: Int, time: Int64)>((0, 0))
  let queue = DispatchQueue(label: "benchmark")
  let observation = monitor.observe(.address("198.51.100.1"), on: queue) { _ in
    let now = raw_now()
    received.withLock { $0 = ($0.count + 1, now) }
  }
  defer { observation.cancel() }
  while received.withLock({ $0.count }) == 0 { usleep(20) }
  let changer = raw_open_changer()
  defer { close(changer) }
  return (0..<count).map { index in
    usleep(200)
    let sent = raw_change(changer, index % 2 == 0 ? 1 : 0)
    while received.withLock({ $0.count }) <= index + 1 { usleep(20) }
    return received.withLock { $0.time } - sent
  }
}

let handOverQueue = DispatchQueue(label: "yardstick")

let events = Comparison(
  // A queue's thread wakes up after the one that receives; what that costs, this shows.
  name: "kernel change to handler, and recv", limit: nil, rounds: 9, count: 1000, ours: timeHandlers,
  yardstick: { count in samples(count) { raw_events(count, $0, nil) } })

let handedOver = Comparison(
  name: "the same, and recv with a queue", limit: 1.5, rounds: 9, count: 1000, ours: timeHandlers,
  yardstick: { count in
    samples(count) { raw_events(count, $0) { handOverQueue.async { raw_handed_over() } } }
  })

print("".padded(34), "    ours      raw  ours 99%  raw 99%   ratio   spread       limit  (µs, medians)")
var isGood = lookups.run()
isGood = events.run() && isGood
isGood = handedOver.run() && isGood
if CommandLine.arguments.count > 1 {
  let command = CommandLine.arguments[1]
  let process = Comparison(
    name: "check ADDRESS, whole process", limit: 2, rounds: 9, count: 100,
    ours: { runs([command, "check", address], $0) }, yardstick: { runs(["ip", "route", "get", address], $0) })
  isGood = process.run() && isGood
}
exit(isGood ? 0 : 1)
