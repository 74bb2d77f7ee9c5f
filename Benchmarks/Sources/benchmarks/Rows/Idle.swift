// SPDX-License-Identifier: Apache-2.0
import Glibc

extension Row {
  static let idle = Row(
    name: "idle",
    summary: "context switches of a process with 10,000 observed addresses while nothing changes"
  ) { bench in
    let seconds = bench.amount(60, quick: 2)
    let child = Network().inside { Child(.manyTargets, ["10000"]) }
    defer { child.stop() }
    _ = child.numbers()
    // The threads of the queues that delivered the first statuses end after some seconds.
    sleep(bench.amount(10, quick: 6))
    let before = switches(of: child.id)
    sleep(UInt32(seconds))
    let after = switches(of: child.id)
    let total = after.reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
    return [Line("context switches in \(seconds) s", .count, Double(total), goal: 0)]
  }
}

/// Returns the context switches of each thread of a process so far, voluntary or not.
private func switches(of process: pid_t) -> [String: Int] {
  var counts: [String: Int] = [:]
  let path = "/proc/\(process)/task"
  guard let folder = opendir(path) else { fail("cannot read \(path)") }
  defer { closedir(folder) }
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) }
    guard !name.hasPrefix("."), let file = fopen("\(path)/\(name)/status", "r") else { continue }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard words.count == 2, words[0].hasSuffix("voluntary_ctxt_switches:") else { continue }
      counts[name, default: 0] += Int(words[1]) ?? 0
    }
  }
  return counts
}

extension Child {
  static func playManyTargets(_ count: Int) {
    let crowd = Crowd(of: count)
    tell(0)
    waitForQuestion()
    withExtendedLifetime(crowd) {}
  }
}
