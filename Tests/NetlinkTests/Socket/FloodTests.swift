// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Testing
@testable import Netlink

/// Requests end even if datagrams keep arriving.
@Suite(.deadline) struct FloodTests {
  static let floods: [(String, ScriptedKernel.Delivery)] = [
    ("a stranger's datagrams", .foreign([1, 2, 3])),
    ("answers to another process", .kernel(oneMessage(.newRoute, sequence: 99) { $0.appendZeros(12) })),
    ("empty datagrams", .kernel([])),
  ]

  @Test func `a flood of unrelated datagrams ends a batch`() {
    for (name, delivery) in Self.floods {
      let kernel = ScriptedKernel(idle: delivery)
      #expect(throws: NetlinkError(.timedOut, attempt: "ask"), "\(name)") { try kernel.ask(1) }
      #expect(kernel.sent.count == 1)
    }
  }

  @Test func `a flood of unrelated datagrams ends a dump`() {
    for (name, delivery) in Self.floods {
      let kernel = ScriptedKernel(idle: delivery)
      #expect(throws: NetlinkError(.timedOut, attempt: "list"), "\(name)") { try kernel.list() }
      #expect(kernel.sent.count == 1)
    }
  }

  @Test func `a flood of unrelated datagrams ends a command`() {
    for (name, delivery) in Self.floods {
      let kernel = ScriptedKernel(idle: delivery)
      #expect(throws: NetlinkError(.timedOut, attempt: "command"), "\(name)") { try kernel.command() }
    }
  }

  @Test func `a buffer that is always full ends a batch and a dump`() {
    let asked = ScriptedKernel(idle: .failure(.noBufferSpace))
    var conversation = asked.conversation()
    #expect(throws: NetlinkError(.overrun, attempt: "ask")) { _ = try conversation.ask(1) }
    #expect(asked.sent.count == 3)
    // Each attempt also receives the queued datagrams, which fails too.
    #expect(conversation.overruns == 6)
    let listed = ScriptedKernel(idle: .failure(.noBufferSpace))
    #expect(throws: NetlinkError.self) { try listed.list() }
    #expect((1...3).contains(listed.sent.count))
  }

  @Test func `every datagram of another sender's flood is counted`() throws {
    let kernel = ScriptedKernel(idle: .foreign([]))
    var conversation = kernel.conversation()
    #expect(throws: NetlinkError.self) { _ = try conversation.ask(1) }
    #expect(conversation.foreignDatagrams == 100_000)
  }
}
#endif
