// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Testing
@testable import Netlink

@Suite(.deadline) struct DumpTests {
  @Test func `a dump ends with the kernel's end message`() throws {
    let kernel = ScriptedKernel({ requests in
      let request = requests[0]
      return [
        .kernel(request.link(1), request.link(2)), .kernel(request.link(3)), .kernel(request.done()),
      ]
    })
    #expect(try kernel.list() == [1, 2, 3])
    #expect(
      kernel.sent == [
        [
          Request(
            .getLink, flags: MessageFlags(rawValue: 0x301), sequence: 1,
            payload: [UInt8](repeating: 0, count: 16))
        ]
      ])
  }

  @Test func `an empty table is an empty dump`() throws {
    let kernel = ScriptedKernel({ requests in [.kernel(requests[0].done())] })
    #expect(try kernel.list() == [])
  }

  @Test func `the recorded end message ends a dump`() throws {
    let done = try Fixture("done")
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].link(1), done.answering(requests[0]))]
    })
    #expect(try kernel.list() == [1])
  }

  @Test func `the end may have no result, as from kernels before 4.20`() throws {
    let kernel = ScriptedKernel({ requests in [.kernel(requests[0].link(1), requests[0].done(nil))] })
    #expect(try kernel.list() == [1])
  }

  @Test func `messages after the end are not part of the table`() throws {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].link(1), requests[0].done(), requests[0].link(2))]
    })
    #expect(try kernel.list() == [1])
  }

  @Test func `answers to other requests and datagrams of others are not part of the table`() throws {
    let kernel = ScriptedKernel({ requests in
      var stranger = requests[0]
      stranger.header.sequence = 0
      return [
        .kernel(stranger.link(7), stranger.done()), .foreign(requests[0].link(8), requests[0].done()),
        .kernel(requests[0].link(1), requests[0].done()),
      ]
    })
    var conversation = kernel.conversation()
    let indexes = try conversation.list()
    #expect(indexes == [1])
    #expect(conversation.foreignDatagrams == 1)
  }

  @Test func `an interrupted dump is discarded and repeated`() throws {
    let kernel = ScriptedKernel(
      { requests in
        [
          .kernel(requests[0].link(1), requests[0].link(2, flags: .dumpInterrupted)),
          .kernel(requests[0].done()),
        ]
      },
      { requests in [.kernel(requests[0].link(3)), .kernel(requests[0].done())] })
    #expect(try kernel.list() == [3])
    #expect(kernel.sent.map { $0.map(\.header.sequence) } == [[1], [2]])
  }

  @Test func `a dump whose end reports an interruption is repeated`() throws {
    let kernel = ScriptedKernel(
      { requests in [.kernel(requests[0].link(1), requests[0].done(flags: .dumpInterrupted))] },
      { requests in [.kernel(requests[0].link(2), requests[0].done())] })
    #expect(try kernel.list() == [2])
  }

  @Test func `a table that never stops changing keeps the entries of the last dump`() throws {
    let interrupted: ScriptedKernel.Turn = { requests in
      [.kernel(requests[0].link(1), requests[0].done(flags: .dumpInterrupted))]
    }
    let kernel = ScriptedKernel(
      interrupted, interrupted,
      { requests in
        [
          .kernel(requests[0].link(2), requests[0].link(3, flags: .dumpInterrupted)),
          .kernel(requests[0].done()),
        ]
      }, { requests in [.kernel(requests[0].done())] })
    #expect(try kernel.list() == [2, 3])
    #expect(kernel.sent.count == 3)
  }

  @Test func `messages lost in every attempt are an error`() {
    let lossy: ScriptedKernel.Turn = { requests in [.kernel(requests[0].link(1)), .failure(.noBufferSpace)] }
    let kernel = ScriptedKernel(lossy, lossy, lossy)
    #expect(throws: NetlinkError(.overrun, attempt: "list")) { try kernel.list() }
  }

  @Test func `a dump with lost messages is discarded and repeated`() throws {
    let kernel = ScriptedKernel(
      { requests in [.kernel(requests[0].link(1)), .failure(.noBufferSpace)] },
      { requests in [.kernel(requests[0].link(2), requests[0].done())] })
    #expect(try kernel.list() == [2])
  }

  @Test func `a dump that ends with an error is refused with that error`() {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].link(1)), .kernel(requests[0].done(-19))]
    })
    #expect(throws: NetlinkError(.refused, attempt: "list", errno: .noDevice)) { try kernel.list() }
    #expect(kernel.sent.count == 1)
  }

  @Test func `the smallest integer as the result of a dump is not an error`() throws {
    let kernel = ScriptedKernel({ requests in [.kernel(requests[0].link(1), requests[0].done(.min))] })
    #expect(try kernel.list() == [1])
  }

  @Test func `a forbidden dump is refused with the kernel's text`() {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].refusal(.invalidArgument, text: "Invalid header for dump"))]
    })
    #expect(
      throws: NetlinkError(
        .refused, attempt: "list", errno: .invalidArgument, detail: "Invalid header for dump")
    ) { try kernel.list() }
  }

  @Test func `a dump without an answer times out`() {
    let silent = ScriptedKernel()
    #expect(throws: NetlinkError(.timedOut, attempt: "list")) { try silent.list() }
    let halting = ScriptedKernel({ requests in [.kernel(requests[0].link(1))] })
    #expect(throws: NetlinkError(.timedOut, attempt: "list")) { try halting.list() }
  }

  @Test func `a failed send or receive is an error with its number`() {
    let deaf = ScriptedKernel(sendFailure: .noDevice)
    #expect(throws: NetlinkError(.system, attempt: "list", errno: .noDevice)) { try deaf.list() }
    let mute = ScriptedKernel({ _ in [.failure(.accessDenied)] })
    #expect(throws: NetlinkError(.system, attempt: "list", errno: .accessDenied)) { try mute.list() }
  }

  @Test func `an undecodable entry is skipped and counted`() throws {
    let kernel = ScriptedKernel({ requests in
      let unreadable = requests[0].message(.newLink) { $0.appendZeros(12) }
      return [
        .kernel(requests[0].link(1), unreadable, requests[0].link(2)), .kernel(unreadable),
        .kernel(requests[0].link(3), requests[0].done()),
      ]
    })
    var conversation = kernel.conversation()
    let indexes = try conversation.list()
    #expect(indexes == [1, 2, 3])
    #expect(conversation.unreadableMessages == 2)
  }

  @Test func `a corrupt message length skips the rest of the datagram`() throws {
    let kernel = ScriptedKernel({ requests in
      [
        .kernel(requests[0].link(1), [3, 0, 0, 0], requests[0].link(2)),
        .kernel(requests[0].link(3), requests[0].done()),
      ]
    })
    var conversation = kernel.conversation()
    let indexes = try conversation.list()
    #expect(indexes == [1, 3])
    #expect(conversation.unreadableMessages == 1)
  }

  @Test func `an undecodable end message is an error with its offset`() {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].link(1), [3, 0, 0, 0], requests[0].done())]
    })
    #expect(throws: NetlinkError(.malformed, attempt: "list", detail: "bad length at byte 32")) {
      try kernel.list()
    }
  }

  @Test func `the last datagram of a dump may exceed the buffer`() throws {
    let answer: ScriptedKernel.Turn = { requests in
      [.kernel(requests[0].link(1), requests[0].link(2), requests[0].link(3), requests[0].done())]
    }
    let kernel = ScriptedKernel(answer, answer)
    #expect(try kernel.list(bufferSize: 64) == [1, 2, 3])
    #expect(kernel.sent.count == 2)
  }

  @Test func `any datagram of a dump may exceed the buffer`() throws {
    let answer: ScriptedKernel.Turn = { requests in
      [
        .kernel(requests[0].link(1), requests[0].link(2), requests[0].link(3)),
        .kernel(requests[0].link(4)), .kernel(requests[0].done()),
      ]
    }
    let kernel = ScriptedKernel(answer, answer, answer)
    #expect(try kernel.list(bufferSize: 64) == [1, 2, 3, 4])
  }

  @Test func `the rest of a failed dump does not disturb the next`() throws {
    let kernel = ScriptedKernel(
      { requests in
        [
          .kernel(requests[0].link(1)), .kernel([3, 0, 0, 0]), .kernel(requests[0].done(-19)),
        ]
      },
      { requests in [.kernel(requests[0].link(2), requests[0].done())] },
      { requests in [.kernel(requests[0].link(2), requests[0].done())] })
    var conversation = kernel.conversation()
    #expect(throws: NetlinkError(.refused, attempt: "list", errno: .noDevice)) {
      _ = try conversation.list()
    }
    let indexes = try conversation.list()
    #expect(indexes == [2])
  }
}
#endif
