// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct NameServerProbeTests {
  @Test func `a probe ends once no server is left that may reply, long before its timeout`() async throws {
    // No socket can be bound to an interface that does not exist.
    let server = ReachabilityPath.NameServer("fe80::53", zone: .name("nowhere"))
    let probe = NameServerProbe(
      servers: [server], interfaces: [nil],
      question: NameQuestion(ReachabilityTarget.HostName(literal: "a.test")), timeout: .seconds(86400))
    let answers = try await Interruption.run(on: startThread, named: "probe") { probe.run($0) }
    #expect(answers.mapValues(\.reply) == [server: .failed("No such device")])
  }
}
#endif
