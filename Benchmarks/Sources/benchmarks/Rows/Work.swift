// SPDX-License-Identifier: Apache-2.0
import CRaw
import Glibc

extension Row {
  static let work = Row(
    name: "work",
    summary:
      "instructions and cache lines of code for one line of `reachability watch`, against `ip monitor`, counted by valgrind"
  ) { bench in
    guard let command = bench.command else { return [.missing("work of watch")] }
    guard let valgrind = bench.valgrind else {
      return [.missing("work of watch", remark: "valgrind is not installed")]
    }
    func count(_ words: [String], isSilent: Bool = false, _ change: @escaping (CInt, CInt) -> Int64) -> Work {
      let rounds = (0..<bench.amount(3, quick: 1)).map { _ in
        let few = Execution(of: words, under: valgrind, isSilent: isSilent, changes: 20, change)
        let many = Execution(of: words, under: valgrind, isSilent: isSilent, changes: 60, change)
        return Work(from: few, to: many)
      }
      return rounds.sorted { $0.instructions < $1.instructions }[rounds.count / 2]
    }
    func changeDefault(_ changer: CInt, _ isChange: CInt) -> Int64 {
      raw_change_default(changer, Network.gateway, 1 - isChange)
    }
    let changes = [
      ("ADDRESS", Network.changing, raw_change, 10_000.0, 500.0),
      ("default", "default", changeDefault, 15_000, 650),
    ]
    return changes.flatMap { name, target, change, instructions, cacheLines in
      let ours = count([command, "watch", target], change)
      let peer = count(["ip", "monitor", "route"], isSilent: true, change)
      func line(_ what: String, _ figure: KeyPath<Work, Double>, limit: Double) -> Line {
        var line = Line(
          what, .count, Series(medians: [ours[keyPath: figure]]), Series(medians: [peer[keyPath: figure]]))
        line.goal = .value(limit)
        return line
      }
      return [
        line("instructions of watch \(name), and of ip monitor", \.instructions, limit: instructions),
        line("cache lines of code for them", \.cacheLines, limit: cacheLines),
      ]
    }
  }
}

/// What a command executes for one change.
private struct Work {
  let instructions: Double
  /// The number of cache lines (64 bytes) that these instructions begin in.
  let cacheLines: Double

  /// Compares two executions of one command: what both execute, such as the start, does not count.
  init(from few: Execution, to many: Execution) {
    let total = many.counts.values.reduce(0, +) - few.counts.values.reduce(0, +)
    instructions = Double(total) / Double(many.lines - few.lines)
    // Not what happens to be executed a few times more, for example when a buffer grows.
    let leastGrowth = (many.lines - few.lines) / 4
    let executed = many.counts.filter { $0.value - few.counts[$0.key, default: 0] >= leastGrowth }
    cacheLines = Double(Set(executed.keys.map { $0 / 64 }).count)
  }
}

/// An execution of a command under callgrind, in a network of its own.
private struct Execution {
  /// How often each instruction was executed, by its address.
  private(set) var counts: [UInt: Int] = [:]
  /// The number of printed lines, one for each change that the command received.
  let lines: Int

  init(
    of words: [String], under valgrind: String, isSilent: Bool, changes: Int,
    _ change: @escaping (CInt, CInt) -> Int64
  ) {
    var path = Array("/tmp/work.XXXXXX".utf8CString)
    let file = fdopen(mkstemp(&path), "r")
    guard let file else { fail("cannot create a file in /tmp") }
    defer {
      unlink(path)
      fclose(file)
    }
    let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let options = [
      "--quiet", "--tool=callgrind", "--callgrind-out-file=\(name)", "--dump-instr=yes", "--dump-line=no",
      "--compress-pos=no",
    ]
    let contender = Contender(printsTime: false, isSilent: isSilent, change: change) {
      Child([valgrind] + options + words)
    }
    _ = contender.time(changes, rest: 5)
    lines = contender.end()
    readCounts(from: file)
  }

  /// Reads what callgrind wrote: lines of an address and a number, each after a call with the number of the whole call.
  private mutating func readCounts(from file: UnsafeMutablePointer<FILE>) {
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    var isCall = false
    while getline(&line, &capacity, file) > 0, let text = line {
      if strncmp(text, "calls=", 6) == 0 { isCall = true }
      guard strncmp(text, "0x", 2) == 0 else { continue }
      var rest: UnsafeMutablePointer<CChar>?
      let address = strtoul(text, &rest, 16)
      if !isCall, let rest { counts[address, default: 0] += strtol(rest, nil, 10) }
      isCall = false
    }
    if counts.isEmpty { fail("callgrind counted nothing") }
  }
}
