// SPDX-License-Identifier: Apache-2.0
import CRaw
import Glibc
import Synchronization

/// The state that rows share.
final class Bench: Sendable {
  let isQuick: Bool
  let command: String?
  let gio: String?
  let valgrind: String?
  private let networks = Mutex<[Int: Network]>([:])

  init(_ options: Options) {
    isQuick = options.isQuick
    command = options.command
    gio = options.gio
    valgrind = options.valgrind
  }

  /// Returns an amount for a full or a quick run.
  func amount<Value>(_ whole: Value, quick: Value) -> Value { isQuick ? quick : whole }

  /// Returns the network with so many routes, which rows share; they leave it unchanged.
  func network(routes: Int) -> Network {
    networks.withLock { networks in
      let network = networks[routes] ?? Network(routes: routes)
      networks[routes] = network
      return network
    }
  }

  /// Lets contenders take turns, in one order and then in the reverse.
  ///
  /// - Returns: The results of each of them, round by round.
  func contest(rounds: Int, _ contenders: [() -> [Int64]]) -> [Series] {
    var series = contenders.map { _ in Series() }
    var reported = raw_now()
    for round in 0..<rounds {
      if raw_now() - reported > 10_000_000_000 {
        reported = raw_now()
        complain("round \(round + 1) of \(rounds)\n")
      }
      let order = Array(contenders.indices)
      for index in round % 2 == 0 ? order : order.reversed() { series[index].add(contenders[index]()) }
    }
    return series
  }
}

/// The results of one contender's rounds.
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

/// Waits for a condition that another thread fulfils, polling at short intervals.
func wait(upTo seconds: Double = 60, for what: String, until isTrue: () -> Bool) {
  let deadline = raw_now() + Int64(seconds * 1e9)
  while !isTrue() {
    if raw_now() > deadline { fail("timed out waiting for \(what)") }
    usleep(20)
  }
}

/// Returns the load average of the last minute.
func loadNow() -> Double {
  var load = 0.0
  return getloadavg(&load, 1) == 1 ? load : .nan
}

func fail(_ text: String) -> Never {
  complain("error: \(text)\n")
  exit(1)
}

/// Writes to standard error.
func complain(_ text: String) {
  _ = text.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
}
