// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import NetlinkSupport
import POSIX
import Testing
@testable import Netlink

@Suite(.deadline) struct AcknowledgementTests {
  @Test func `a command waits for its acknowledgement`() throws {
    let kernel = ScriptedKernel({ requests in [.kernel(requests[0].acknowledgement)] })
    try kernel.command(MessageFlags(rawValue: 0x400))
    #expect(kernel.waitingCount == 0)
    #expect(
      kernel.sent == [
        [
          Request(.newRoute, flags: MessageFlags(rawValue: 0x405), sequence: 1, payload: [7, 0, 0, 0])
        ]
      ])
  }

  @Test func `a refused command has the error and the kernel's text`() {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].refusal(.networkUnreachable, text: "Nexthop has invalid gateway"))]
    })
    let error = NetlinkError(
      .refused, attempt: "command", errno: .networkUnreachable, detail: "Nexthop has invalid gateway")
    #expect(throws: error) { try kernel.command() }
  }

  @Test func `the recorded acknowledgements decode to success and errors`() throws {
    let recorded: [(name: String, error: NetlinkError?)] = [
      ("error-ack", nil),
      (
        "error-extended",
        NetlinkError(
          .refused, attempt: "command", errno: .networkUnreachable, detail: "Nexthop has invalid gateway")
      ),
      (
        "error-extended-offset",
        NetlinkError(
          .refused, attempt: "command", errno: Errno(rawValue: 34),
          detail: "Attribute failed policy validation")
      ),
      ("error-no-route", NetlinkError(.refused, attempt: "command", errno: .networkUnreachable)),
      ("error-request-echoed", NetlinkError(.refused, attempt: "command", errno: .networkUnreachable)),
    ]
    for (name, expected) in recorded {
      let fixture = try Fixture(name)
      let kernel = ScriptedKernel({ requests in [.kernel(fixture.answering(requests[0]))] })
      var error: NetlinkError?
      do {
        try kernel.command()
      } catch let caught as NetlinkError {
        error = caught
      }
      #expect(error == expected, "\(name)")
    }
  }

  @Test func `an error with the whole request and a text keeps the text`() {
    let kernel = ScriptedKernel({ requests in
      [
        .kernel(
          requests[0].message(.error, flags: .errorAttributes) {
            $0.append(Int32(-22))
            // The echoed request: 18 bytes, and two of padding.
            $0.append(UInt32(18))
            $0.appendZeros(16)
            $0.attribute(1, text: "why not")
          })
      ]
    })
    #expect(
      throws: NetlinkError(.refused, attempt: "command", errno: .invalidArgument, detail: "why not")
    ) { try kernel.command() }
  }

  @Test func `an error may end with the whole request, without a text`() {
    let kernel = ScriptedKernel({ requests in
      [
        .kernel(
          requests[0].message(.error, flags: .errorAttributes) {
            $0.append(Int32(-22))
            $0.append(UInt32(16))
            $0.appendZeros(12)
          })
      ]
    })
    #expect(throws: NetlinkError(.refused, attempt: "command", errno: .invalidArgument)) {
      try kernel.command()
    }
  }

  @Test func `notifications and answers to others are not acknowledgements`() throws {
    let kernel = ScriptedKernel({ requests in
      var other = requests[0]
      other.header.sequence += 1
      return [
        .kernel(requests[0].route(to: "10.0.0.1")), .kernel(other.refusal(.noDevice)),
        .foreign(requests[0].refusal(.noDevice)), .kernel(requests[0].acknowledgement),
      ]
    })
    var conversation = kernel.conversation()
    try conversation.command()
    #expect(conversation.foreignDatagrams == 1)
    #expect(kernel.waitingCount == 0)
  }

  @Test func `a command without an answer times out`() {
    #expect(throws: NetlinkError(.timedOut, attempt: "command")) { try ScriptedKernel().command() }
  }

  @Test func `an undecodable acknowledgement is an error with its offset`() {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].message(.error) { $0.append(UInt16(1)) })]
    })
    #expect(throws: NetlinkError(.malformed, attempt: "command", detail: "truncated at byte 16")) {
      try kernel.command()
    }
  }

  @Test func `an error describes the attempt, the cause and the kernel's text`() {
    #expect(
      NetlinkError(.refused, attempt: "list links", errno: .networkUnreachable, detail: "no way").description
        == "could not list links: Network is unreachable (no way)")
    #expect(NetlinkError(.timedOut, attempt: "ask").description == "could not ask: no answer")
    #expect(
      NetlinkError(.malformed, attempt: "ask", detail: "bad value at byte 4").description
        == "could not ask: malformed message (bad value at byte 4)")
  }
}
#endif
