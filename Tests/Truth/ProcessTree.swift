// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A process and those that it started: what they use.
struct ProcessTree {
  let processes: [pid_t]

  init(of root: pid_t) {
    var children: [pid_t: [pid_t]] = [:]
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    for process in names.compactMap({ pid_t($0) }) {
      // The name in parentheses may contain spaces.
      let fields = Self.text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
      if fields.count > 1, let parent = pid_t(fields[1]) { children[parent, default: []].append(process) }
    }
    var found = [root]
    var next = 0
    while next < found.count {
      found += children[found[next]] ?? []
      next += 1
    }
    processes = found
  }

  /// The processor time of all threads, in nanoseconds.
  var processorTime: Int {
    threads.reduce(0) { sum, thread in
      sum + (Self.text("\(thread)/schedstat").split(separator: " ").first.flatMap { Int($0) } ?? 0)
    }
  }

  /// How often their threads have waited and were woken.
  var wakeups: Int { threads.reduce(0) { $0 + Self.number("voluntary_ctxt_switches", in: "\($1)/status") } }

  /// The memory in KiB; what several processes share counts once.
  var memory: Int { processes.reduce(0) { $0 + Self.number("Pss", in: "/proc/\($1)/smaps_rollup") } }

  private var threads: [String] {
    processes.flatMap { process in
      ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? [])
        .map { "/proc/\(process)/task/\($0)" }
    }
  }

  private static func number(_ name: String, in path: String) -> Int {
    for line in text(path).split(separator: "\n") where line.hasPrefix("\(name):") {
      return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
    return 0
  }

  private static func text(_ path: String) -> String {
    (try? String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)) ?? ""
  }
}
