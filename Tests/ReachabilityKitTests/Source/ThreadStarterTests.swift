// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CPOSIX
import DeadlineSupport
import POSIX
import Synchronization
import TestSupport
import Testing

@testable import ReachabilityKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The threads that the library starts.
@Suite(.deadline) struct ThreadTests {
  /// The processors of the calling thread, its nice value and its policy.
  private struct Scheduling: Equatable {
    var processors: String
    var nice: Int
    var policy: Int

    init?(of task: String) throws {
      let status = try SystemFile.contents(of: "/proc/\(task)/status", upTo: 1 << 16)
      let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
      let stat = try SystemFile.contents(of: "/proc/\(task)/stat", upTo: 1 << 12)
      // The fields follow the name, which may contain any character.
      let fields = String(decoding: stat, as: UTF8.self).split(separator: ")").last?.split(separator: " ")
      guard let line = lines.first(where: { $0.hasPrefix("Cpus_allowed_list:") }), let fields,
        let nice = Int(fields[16]), let policy = Int(fields[38])
      else { return nil }
      (processors, self.nice, self.policy) = (String(line), nice, policy)
    }
  }

  /// Runs a closure on a new thread of the library and returns its result.
  private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws
    -> Value
  {
    let result = Mutex<Result<Value, any Error>?>(nil)
    try startThread(named: "test") {
      let found = Result { try body() }
      result.withLock { $0 = found }
    }
    while true {
      if let result = result.withLock({ $0 }) { return try result.get() }
      usleep(1000)
    }
  }

  /// Starts a thread, and returns its number once it runs.
  private static func start(_ body: @escaping @Sendable () -> Void) throws -> UInt {
    let number = Box(0 as UInt)
    try startThread(named: "test") {
      number.set(Thread.currentNumber)
      body()
    }
    try wait { number.value != 0 }
    return number.value
  }

  @Test func `a waiting thread has made progress`() throws {
    let mayEnd = Box(false)
    let sleeper = try Self.start { while !mayEnd.value { usleep(2_000_000) } }
    let progress = ThreadProgress(ofThread: sleeper)
    try Self.wait { progress.hasGoneOn }
    mayEnd.set(true)
  }

  @Test func `a running thread makes progress after a while`() throws {
    let mayEnd = Box(false)
    let worker = try Self.start { while !mayEnd.value {} }
    let progress = ThreadProgress(ofThread: worker)
    #expect(!progress.hasGoneOn)
    try Self.wait { progress.hasGoneOn }
    mayEnd.set(true)
  }

  @Test func `a thread that has ended has made progress`() throws {
    let mayEnd = Box(false)
    let worker = try Self.start { while !mayEnd.value {} }
    let progress = ThreadProgress(ofThread: worker)
    mayEnd.set(true)
    try Self.wait { progress.hasGoneOn }
  }

  @Test func `a thread that gets no processor time makes no progress`() throws {
    let mayEnd = Box(false)
    let isStarved = Box(false)
    // One thread uses the processor in full; a second one leaves next to nothing for the idle thread.
    for _ in 0..<2 {
      _ = try Self.start {
        Self.stay()
        while !mayEnd.value {}
      }
    }
    let starved = try Self.start {
      Self.stay()
      // SCHED_IDLE.
      var parameters = sched_param()
      _ = unsafe sched_setscheduler(0, 5, &parameters)
      isStarved.set(true)
      while !mayEnd.value {}
    }
    try Self.wait { isStarved.value }
    // Of 100 ms an idle thread gets less than one, and 10 ms count as progress. It gets more while this thread waits for
    // a processor itself, or the machine's host takes one away.
    var isWithoutProgress = false
    for _ in 0..<100 where !isWithoutProgress {
      let progress = ThreadProgress(ofThread: starved)
      usleep(100_000)
      isWithoutProgress = !progress.hasGoneOn
    }
    mayEnd.set(true)
    #expect(isWithoutProgress)
  }

  /// Binds the calling thread to the first processor of the process.
  private static func stay() {
    var mask = [UInt8](repeating: 0, count: 128)
    _ = unsafe cposix_get_affinity(0, mask.count, &mask)
    guard let first = mask.firstIndex(where: { $0 != 0 }) else { return }
    for index in mask.indices where index != first { mask[index] = 0 }
    mask[first] &= 0 &- mask[first]
    _ = unsafe cposix_set_affinity(0, mask.count, &mask)
  }

  private static func wait(until isDone: () -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while !isDone() {
      try #require(ContinuousClock.now < deadline)
      usleep(1000)
    }
  }

  @Test func `a thread has the scheduling of its process, not of the thread that starts it`() throws {
    let process = try #require(try Scheduling(of: "\(getpid())"))
    let (starter, started) = try Self.onThread {
      // SCHED_BATCH, the last processor, and a nice value raised by five.
      var parameters = sched_param()
      _ = unsafe sched_setscheduler(0, 3, &parameters)
      _ = cposix_set_priority(0, 0, CInt(process.nice) + 5)
      var mask = [UInt8](repeating: 0, count: 128)
      _ = unsafe cposix_get_affinity(0, mask.count, &mask)
      let last = mask.lastIndex { $0 != 0 } ?? 0
      for index in mask.indices where index != last { mask[index] = 0 }
      mask[last] = 0x80 >> UInt8(mask[last].leadingZeroBitCount)
      _ = unsafe cposix_set_affinity(0, mask.count, &mask)
      let starter = try Scheduling(of: "thread-self")
      return (starter, try Self.onThread { try Scheduling(of: "thread-self") })
    }
    let (before, after) = (try #require(starter), try #require(started))
    #expect(before != process)
    #expect(after.processors == process.processors)
    #expect(after.policy == process.policy)
    // Lowering the nice value takes rights that root of a user namespace does not have.
    let mayGoUp = try Self.onThread {
      _ = cposix_set_priority(0, 0, CInt(process.nice) + 5)
      return cposix_set_priority(0, 0, CInt(process.nice)) == 0
    }
    #expect(after.nice == (mayGoUp ? process.nice : before.nice))
  }
}
#endif
