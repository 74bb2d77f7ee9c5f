// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandLineSupport
import DeadlineSupport
import Foundation
import Synchronization
import Testing

@Suite(.deadline) struct `A replaced file` {
  // Slow: 100,000 files.
  @Test(.onOwnThreads)
  func `a reader never sees a torn file in 100,000 rewrites`() throws {
    // In memory, where flushing takes no time.
    let path = "/dev/shm/\(UUID()).prom"
    let file = ReplacedFile(path)
    defer { file.remove() }
    /// Texts of different lengths, whose every line names the text, and whose last line is the same in all.
    let texts = (0..<97).map { number in
      String(repeating: "metric{version=\"\(number)\"} \(number)\n", count: 1 + number * 3) + "end\n"
    }
    try file.replace(with: texts[0])
    let known = Set(texts)
    let isWriting = Atomic(true)
    let torn = Mutex<String?>(nil)
    let reads = Atomic(0)
    let group = DispatchGroup()
    group.enter()
    Thread.detachNewThread {
      while isWriting.load(ordering: .relaxed) {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? "no file"
        if !known.contains(text) { torn.withLock { $0 = text } }
        reads.add(1, ordering: .relaxed)
      }
      group.leave()
    }
    defer {
      isWriting.store(false, ordering: .relaxed)
      group.wait()
    }
    for number in 1...100_000 { try file.replace(with: texts[number % texts.count]) }
    isWriting.store(false, ordering: .relaxed)
    group.wait()
    #expect(torn.withLock(\.self) == nil)
    #expect(reads.load(ordering: .relaxed) > 1000)
  }
}
#endif
