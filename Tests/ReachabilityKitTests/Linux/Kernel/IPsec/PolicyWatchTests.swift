// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Testing
@testable import ReachabilityKit

@Suite(.deadline) struct PolicyWatchTests {
  @Test func `the counters are read by their names`() {
    let text =
      "XfrmInError             \t1\nXfrmOutPolBlock         \t7\nXfrmOutNoStates         \t3\nnonsense\n"
    let counts = PolicyStatistics.Counts(text: Array(text.utf8)[...])
    #expect(counts == PolicyStatistics.Counts(blocked: 7, stateless: 3))
    #expect(PolicyStatistics.Counts(text: []) == PolicyStatistics.Counts())
  }

  @Test func `the kernel's own socket shows that policies may exist`() {
    let head = "sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    Drops    Inode\n"
    let route = "0000000000000000 0   0          00000000 0        0        0     2        0        1033\n"
    let own = "0000000000000000 6   0          00000000 0        0        0     2        0        1034\n"
    let other = "0000000000000000 6   4711       00000000 0        0        0     2        0        1035\n"
    #expect(PolicyAnnouncements.hasKernelSocket(head + route + own))
    #expect(!PolicyAnnouncements.hasKernelSocket(head + route + other))
    #expect(!PolicyAnnouncements.hasKernelSocket(""))
  }

  @Test func `without a network to start threads in, nothing is tried`() {
    var watch = PolicyWatch(threads: nil)
    watch.listen()
    let (isAnnounced, counts, knowledge) = (watch.isAnnounced, watch.counts(), watch.knowledge())
    #expect(!isAnnounced && counts == nil && knowledge == nil)
  }
}
#endif
