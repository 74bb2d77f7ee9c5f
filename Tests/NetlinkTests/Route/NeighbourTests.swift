// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import NetlinkSupport
import POSIX
import Testing
@testable import Netlink

@Suite("Queries for explanations", .deadline)
struct NeighbourTests {
  private static let attempt = "ask about a neighbour"

  @Test func `a query names one neighbour on one link`() throws {
    let fixture = try Fixture("neighbour-failed")
    let kernel = ScriptedKernel({ [.kernel(fixture.answering($0[0]))] })
    var client = kernel.client()
    let neighbour = try client.neighbour("10.1.0.8", on: 3)
    #expect(neighbour?.state == .failed)
    #expect(neighbour?.destination == "10.1.0.8")
    let payload: [UInt8] = [2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 8, 0, 1, 0, 10, 1, 0, 8]
    #expect(
      kernel.sent == [[Request(.getNeighbour, flags: .request, sequence: 1, payload: payload)]])
  }

  @Test func `a neighbour without an entry is nil`() throws {
    var client = ScriptedKernel({ [.kernel($0[0].refusal(.notFound, text: "Neighbour entry not found"))] })
      .client()
    let neighbour = try client.neighbour("fd00::8", on: 3)
    #expect(neighbour == nil)
  }

  @Test func `a kernel without single-neighbour queries is an error`() {
    let notSupported = Errno(rawValue: 95)
    #expect(throws: NetlinkError(.refused, attempt: Self.attempt, errno: notSupported)) {
      var client = ScriptedKernel({ [.kernel($0[0].refusal(Errno(rawValue: 95)))] }).client()
      _ = try client.neighbour("10.1.0.8", on: 3)
    }
    #expect(throws: NetlinkError(.timedOut, attempt: Self.attempt)) {
      var client = ScriptedKernel().client()
      _ = try client.neighbour("10.1.0.8", on: 3)
    }
  }

  @Test func `only routes that match the destination are listed`() throws {
    let names = ["route-ipv4-default", "route-blackhole", "route-local"]
    let fixtures = try names.map(Fixture.init)
    let kernel = ScriptedKernel({ requests in
      fixtures.map { .kernel($0.answering(requests[0], flags: .multipart)) } + [.kernel(requests[0].done())]
    })
    var client = kernel.client()
    let routes = try client.routes(to: "10.60.1.1").entries
    #expect(routes.map(\.kind) == [.unicast, .blackhole])
    let payload: [UInt8] = [2] + [UInt8](repeating: 0, count: 11)
    #expect(
      kernel.sent == [[Request(.getRoute, flags: [.request, .dump], sequence: 1, payload: payload)]])
  }
}
#endif
