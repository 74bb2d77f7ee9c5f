#if os(Linux)
import DeadlineSupport
import Testing
@testable import Netlink

@Suite(.deadline) struct DumpTests {
  @Test func `a table comes in parts until the kernel says that it is done`() throws {
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

  @Test func `an empty table is done at once`() throws {
    let kernel = ScriptedKernel({ requests in [.kernel(requests[0].done())] })
    #expect(try kernel.list() == [])
  }

  @Test func `the recorded end of a list ends a list`() throws {
    let done = try Fixture("done")
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].link(1), done.answering(requests[0]))]
    })
    #expect(try kernel.list() == [1])
  }

  @Test func `the end may come without a result, as from kernels before 4.20`() throws {
    let kernel = ScriptedKernel({ requests in [.kernel(requests[0].link(1), requests[0].done(nil))] })
    #expect(try kernel.list() == [1])
  }

  @Test func `what follows the end is no part of the table`() throws {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].link(1), requests[0].done(), requests[0].link(2))]
    })
    #expect(try kernel.list() == [1])
  }

  @Test func `what answers another request or comes from somebody else is no part of the table`() throws {
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

  @Test func `a list that was interrupted is dropped and asked for again`() throws {
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

  @Test func `a list whose end tells of the interruption is asked for again`() throws {
    let kernel = ScriptedKernel(
      { requests in [.kernel(requests[0].link(1), requests[0].done(flags: .dumpInterrupted))] },
      { requests in [.kernel(requests[0].link(2), requests[0].done())] })
    #expect(try kernel.list() == [2])
  }

  @Test func `a table that never holds still is kept as it was listed last`() throws {
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

  @Test func `a list of which messages are lost each time is an error`() {
    let lossy: ScriptedKernel.Turn = { requests in [.kernel(requests[0].link(1)), .failure(.noBufferSpace)] }
    let kernel = ScriptedKernel(lossy, lossy, lossy)
    #expect(throws: NetlinkError(.overrun, attempt: "list")) { try kernel.list() }
  }

  @Test func `a list of which messages were lost is dropped and asked for again`() throws {
    let kernel = ScriptedKernel(
      { requests in [.kernel(requests[0].link(1)), .failure(.noBufferSpace)] },
      { requests in [.kernel(requests[0].link(2), requests[0].done())] })
    #expect(try kernel.list() == [2])
  }

  @Test func `a list that ends with an error is refused with that error`() {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].link(1)), .kernel(requests[0].done(-19))]
    })
    #expect(throws: NetlinkError(.refused, attempt: "list", errno: .noDevice)) { try kernel.list() }
    #expect(kernel.sent.count == 1)
  }

  @Test func `the least of all numbers at the end of a list is no error`() throws {
    let kernel = ScriptedKernel({ requests in [.kernel(requests[0].link(1), requests[0].done(.min))] })
    #expect(try kernel.list() == [1])
  }

  @Test func `a table that may not be listed is refused with the kernel's text`() {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].refusal(.invalidArgument, text: "Invalid header for dump"))]
    })
    #expect(
      throws: NetlinkError(
        .refused, attempt: "list", errno: .invalidArgument, detail: "Invalid header for dump")
    ) { try kernel.list() }
  }

  @Test func `a kernel that does not answer in time is an error`() {
    let silent = ScriptedKernel()
    #expect(throws: NetlinkError(.timedOut, attempt: "list")) { try silent.list() }
    let halting = ScriptedKernel({ requests in [.kernel(requests[0].link(1))] })
    #expect(throws: NetlinkError(.timedOut, attempt: "list")) { try halting.list() }
  }

  @Test func `a failing send or receive is an error with its number`() {
    let deaf = ScriptedKernel(sendFailure: .noDevice)
    #expect(throws: NetlinkError(.system, attempt: "list", errno: .noDevice)) { try deaf.list() }
    let mute = ScriptedKernel({ _ in [.failure(.accessDenied)] })
    #expect(throws: NetlinkError(.system, attempt: "list", errno: .accessDenied)) { try mute.list() }
  }

  @Test func `an entry that can't be read is skipped and counted`() throws {
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

  @Test func `a part of a list whose messages can't be told apart is skipped from there on`() throws {
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

  @Test func `a list whose end can't be read is an error that says where`() {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].link(1), [3, 0, 0, 0], requests[0].done())]
    })
    #expect(throws: NetlinkError(.malformed, attempt: "list", detail: "bad length at byte 32")) {
      try kernel.list()
    }
  }

  @Test func `the last part of a list may be longer than the buffer`() throws {
    let answer: ScriptedKernel.Turn = { requests in
      [.kernel(requests[0].link(1), requests[0].link(2), requests[0].link(3), requests[0].done())]
    }
    let kernel = ScriptedKernel(answer, answer)
    #expect(try kernel.list(bufferSize: 64) == [1, 2, 3])
    #expect(kernel.sent.count == 2)
  }

  @Test func `any part of a list may be longer than the buffer`() throws {
    let answer: ScriptedKernel.Turn = { requests in
      [
        .kernel(requests[0].link(1), requests[0].link(2), requests[0].link(3)),
        .kernel(requests[0].link(4)), .kernel(requests[0].done()),
      ]
    }
    let kernel = ScriptedKernel(answer, answer, answer)
    #expect(try kernel.list(bufferSize: 64) == [1, 2, 3, 4])
  }

  @Test func `what is left of a failed list is not in the way of the next`() throws {
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
