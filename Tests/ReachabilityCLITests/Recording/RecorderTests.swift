// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandLineSupport
import CommandSupport
import DeadlineSupport
import Dispatch
import ReachabilityKit
import RequirementSupport
import Testing

@testable import ReachabilityCLI

/// The writer of a record, without a network.
@Suite(.onOwnThreads, .deadline) struct `A recorder` {
  @Test(.needsPython) func `the hash of an identifier is SHA-256`() throws {
    let texts = (0...130).map { String(repeating: "a", count: $0) }
    let python = "import hashlib\nfor n in range(131): print(hashlib.sha256(b'a' * n).hexdigest())"
    let expected = try RunningCommand(["-c", python], through: #"shift; exec /usr/bin/python3 "$@""#).finish()
    let hashes = texts.map { text in
      Machine.hash(text.utf8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n"
    }
    #expect(hashes.joined() == expected.output)
  }

  @Test func `a file of a record has the size that the help names`() {
    #expect(RecordingOptions(path: "history.jsonl").limit == 64 << 20)
  }

  @Test func `lines of several threads are all in the file, in the order of their times`() throws {
    let folder = try RecordFolder()
    let recorder = try Recorder(.init(path: folder.file), of: ["a.test"], reportingTo: StandardOutput())
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for state in Array(repeating: [ReachabilityStatus.State.reachable, .notReachable], count: 500).joined()
      {
        let event = ReachabilityEvent(target: .defaultRoute, status: ReachabilityStatus(state))
        recorder.add { $0.add(0, event, at: $1) }
      }
    }
    #expect(recorder.stop())
    let objects = try folder.objects()
    #expect(objects.count == 8002)
    #expect(objects.first?["event"] as? String == "start")
    #expect(objects.last?["event"] as? String == "stop")
    #expect(objects.count { $0["status"] as? String == "notReachable" } == 4000)
    let times = objects.compactMap { $0["uptimeMicroseconds"] as? Int }
    #expect(times == times.sorted())
  }
}
#endif
