// SPDX-License-Identifier: Apache-2.0
import CRaw
import Glibc

/// Times complete runs of a command.
func runs(_ words: [String], _ count: Int) -> [Int64] {
  withArguments(words) { arguments in samples(count) { raw_runs(arguments, count, $0) } }
}

private func withArguments<Result>(
  _ words: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var arguments = words.map { strdup($0) } + [nil]
  defer { arguments.forEach { free($0) } }
  return arguments.withUnsafeMutableBufferPointer { buffer in
    guard let start = buffer.baseAddress else { fail("no command") }
    return body(start)
  }
}

/// Another process whose lines are read; it may answer each line that it receives.
final class Child {
  let id: pid_t
  private let input: CInt
  private let output: CInt
  private var waiting: ArraySlice<UInt8> = []

  /// Starts a command.
  init(_ words: [String]) {
    var (input, output): (CInt, CInt) = (-1, -1)
    id = withArguments(words) { raw_start($0, &input, &output) }
    self.input = input
    self.output = output
  }

  /// Starts this program in one of its roles.
  convenience init(_ role: Role, _ words: [String] = []) {
    self.init([Self.program, "--child", role.rawValue] + words)
  }

  private static let program: String = {
    var path = [CChar](repeating: 0, count: 4096)
    guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else { fail("cannot find this program") }
    return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  /// The folder of this program, and of others that are built with it.
  static var folder: String { program.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } }

  /// Waits for lines, and returns the last one.
  @discardableResult
  func line(_ count: Int = 1) -> String {
    var left = count
    while true {
      while let end = waiting.firstIndex(of: 10) {
        let line = waiting[..<end]
        waiting = waiting[(end + 1)...]
        left -= 1
        if left == 0 { return String(decoding: line, as: UTF8.self) }
      }
      guard hasMore(within: 60_000) else { fail("a measured process did not report in time") }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(output, &bytes, bytes.count)
      if count <= 0 { fail("a measured process ended early") }
      waiting += bytes[..<count]
    }
  }

  /// Waits for a line of numbers.
  func numbers() -> [Int64] { line().split(separator: " ").compactMap { Int64($0) } }

  /// Requests the numbers of the process, and waits for them.
  func ask() -> [Int64] {
    var end: UInt8 = 10
    if write(input, &end, 1) != 1 { fail("a measured process ended early") }
    return numbers()
  }

  /// Whether output arrives within the given milliseconds.
  func hasMore(within milliseconds: CInt) -> Bool {
    if waiting.contains(10) { return true }
    var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, milliseconds) > 0
  }

  /// Ends the process.
  func stop() {
    close(input)
    close(output)
    kill(id, SIGKILL)
    waitpid(id, nil, 0)
  }

  /// Asks the process to end, and waits until it has.
  func finish() {
    kill(id, SIGTERM)
    wait(for: "a measured process to end") { [id] in
      var information = siginfo_t()
      // It stays a zombie, for ``stop()``.
      return waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0
        && information.si_signo == SIGCHLD
    }
  }
}

// MARK: - In the other process

extension Child {
  /// The role of this program in another process.
  enum Role: String {
    case startedMonitor, targetMemory, observerMemory, reaskMemory
    case churn, follower, filteredReceiver, manyTargets
    case threadHandler, queueHandlers, element
    case receiver, queueReceiver, streamReceiver
    case connections, acceptor, evidence, quietEvidence
  }

  /// Plays the role that the arguments name.
  static func play(_ arguments: [String]) {
    guard let role = arguments.first.flatMap(Role.init) else { exit(2) }
    raw_end_with_parent()
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    switch role {
    case .startedMonitor: playStartedMonitor()
    case .targetMemory: playTargetMemory(numbers[0])
    case .observerMemory: playObserverMemory(numbers[0])
    case .reaskMemory: playReaskMemory(numbers[0])
    case .churn: playChurn(numbers[0], numbers[1])
    case .follower: playFollower()
    case .filteredReceiver: playFilteredReceiver()
    case .manyTargets: playManyTargets(numbers[0])
    case .threadHandler: playThreadHandler()
    case .queueHandlers: playQueueHandlers(numbers[0], queues: numbers[1])
    case .element: playElement()
    case .receiver: playReceiver()
    case .queueReceiver: playQueueReceiver(numbers[0], queues: numbers[1])
    case .streamReceiver: playStreamReceiver()
    case .connections: playConnections(numbers[0], count: numbers[1])
    case .acceptor: playAcceptor(numbers[0], count: numbers[1])
    case .evidence: playEvidence(numbers[0])
    case .quietEvidence: playQuietEvidence(numbers[0])
    }
  }

  /// Sends numbers to the parent.
  static func tell(_ numbers: Int64...) { tell(numbers: numbers) }

  static func tell(numbers: [Int64]) {
    print(numbers.map { String($0) }.joined(separator: " "))
    fflush(nil)
  }

  /// Waits for a request of the parent; ends the process when the parent ended.
  static func waitForQuestion() {
    var byte: UInt8 = 0
    if read(0, &byte, 1) != 1 { exit(0) }
  }

  /// The processor time of this process so far, in nanoseconds.
  static var processorTime: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The resident memory of this process, in bytes.
  static var resident: Int64 {
    guard let file = fopen("/proc/self/smaps_rollup", "r") else { fail("cannot read smaps_rollup") }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .split(whereSeparator: \.isWhitespace)
      if words.first == "Rss:", let size = Int64(words[1]) { return size * 1024 }
    }
    fail("smaps_rollup names no Rss")
  }
}
