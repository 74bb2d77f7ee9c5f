import CRaw
import Glibc
import Synchronization

/// What the rows share.
final class Bench: Sendable {
  let isQuick: Bool
  let command: String?
  let gio: String?
  private let networks = Mutex<[Int: Network]>([:])

  init(_ options: Options) {
    isQuick = options.isQuick
    command = options.command
    gio = options.gio
  }

  /// An amount for a whole run, and one for a quick one.
  func amount<Value>(_ whole: Value, quick: Value) -> Value { isQuick ? quick : whole }

  /// The network that rows share which need so many routes; it is left as it was found.
  func network(routes: Int) -> Network {
    networks.withLock { networks in
      let network = networks[routes] ?? Network(routes: routes)
      networks[routes] = network
      return network
    }
  }

  /// Has contenders take turns, in one order and then in the other.
  ///
  /// - Returns: What each of them came to, round by round.
  func contest(rounds: Int, _ contenders: [() -> [Int64]]) -> [Series] {
    var series = contenders.map { _ in Series() }
    for round in 0..<rounds {
      let order = Array(contenders.indices)
      for index in round % 2 == 0 ? order : order.reversed() { series[index].add(contenders[index]()) }
    }
    return series
  }
}

/// What the rounds of one contender came to.
struct Series {
  var medians: [Double] = []
  /// The 99th percentiles.
  var slow: [Double] = []

  mutating func add(_ samples: [Int64]) {
    let sorted = samples.sorted()
    medians.append(Double(sorted[sorted.count / 2]))
    slow.append(Double(sorted[sorted.count * 99 / 100]))
  }
}

func median(_ values: [Double]) -> Double? {
  values.isEmpty ? nil : values.sorted()[values.count / 2]
}

func samples(_ count: Int, _ fill: (UnsafeMutablePointer<Int64>) -> Void) -> [Int64] {
  [Int64](unsafeUninitializedCapacity: count) { buffer, initialized in
    if let start = buffer.baseAddress { fill(start) }
    initialized = count
  }
}

/// Waits for something that another thread does, looking often but not all the time.
func wait(upTo seconds: Double = 60, for what: String, until isTrue: () -> Bool) {
  let deadline = raw_now() + Int64(seconds * 1e9)
  while !isTrue() {
    if raw_now() > deadline { fail("waited in vain for \(what)") }
    usleep(20)
  }
}

/// How many processes wanted a processor in the last minute, on average.
func loadNow() -> Double {
  var load = 0.0
  return getloadavg(&load, 1) == 1 ? load : .nan
}

func fail(_ text: String) -> Never {
  complain("error: \(text)\n")
  exit(1)
}

/// Writes to the standard error output.
func complain(_ text: String) {
  _ = text.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
}
