// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import NetlinkSupport
import POSIX
import Testing
@testable import Netlink

@Suite(.deadline) struct RouteClientTests {
  /// A kernel that lists the recorded messages, and one of another type among them.
  private func kernel(listing fixtures: String...) throws -> ScriptedKernel {
    let fixtures = try fixtures.map(Fixture.init)
    return ScriptedKernel({ requests in
      let request = requests[0]
      let other = request.message(MessageType(rawValue: 4), flags: .multipart) { $0.append(UInt32(0)) }
      let parts = fixtures.map { $0.answering(request, flags: .multipart) }
      return [.kernel(other)] + parts.map { .kernel($0) } + [.kernel(request.done())]
    })
  }

  private func event(_ fixture: String) throws -> RouteEvent? {
    let expected = try #require(Expectation.all.first { $0.fixture == fixture })
    guard case .event(let event) = try expected.content(Fixture(fixture)) else { return nil }
    return event
  }

  /// The lookups of 0.0.0.0, 0.0.0.1 and so on.
  private func requests(_ count: Int) -> [RouteRequest] {
    (0..<UInt32(count)).map { RouteRequest(.v4(.init(rawValue: $0))) }
  }

  /// An answer with its request's position.
  private struct Answered: Equatable {
    var place: Int
    var answer: Result<RouteMessage, Errno>
  }

  private func lookUp(_ count: Int, at kernel: ScriptedKernel) throws -> [Answered] {
    var client = kernel.client()
    var answers: [Answered] = []
    try client.lookUp(requests(count)) { answers.append(Answered(place: $0, answer: $1)) }
    return answers
  }

  @Test func `links are listed without their counters`() throws {
    let kernel = try kernel(listing: "link-loopback", "link-wireguard")
    var client = kernel.client()
    let links = try client.links().entries
    #expect(try links.map(RouteEvent.link) == [event("link-loopback"), event("link-wireguard")])
    let payload = [UInt8](repeating: 0, count: 16) + [8, 0, 29, 0, 8, 0, 0, 0]
    #expect(kernel.sent == [[Request(.getLink, flags: [.request, .dump], sequence: 1, payload: payload)]])
  }

  @Test func `addresses of both families are listed`() throws {
    let kernel = try kernel(listing: "address-ipv4", "address-ipv6")
    var client = kernel.client()
    let addresses = try client.addresses().entries
    #expect(try addresses.map(RouteEvent.address) == [event("address-ipv4"), event("address-ipv6")])
    let payload = [UInt8](repeating: 0, count: 8)
    #expect(
      kernel.sent == [[Request(.getAddress, flags: [.request, .dump], sequence: 1, payload: payload)]])
  }

  @Test func `rules of a family are listed`() throws {
    let kernel = try kernel(listing: "rule-ipv6-from")
    var client = kernel.client()
    let rules = try client.rules(.ipv6).entries
    #expect(try rules.map(RouteEvent.rule) == [event("rule-ipv6-from")])
    let payload = [10] + [UInt8](repeating: 0, count: 11)
    #expect(kernel.sent == [[Request(.getRule, flags: [.request, .dump], sequence: 1, payload: payload)]])
  }

  @Test func `the entries of an interrupted list are discarded`() throws {
    func interrupted(_ name: String, _ again: String) throws -> ScriptedKernel {
      let (first, second) = (try Fixture(name), try Fixture(again))
      return ScriptedKernel(
        { [.kernel(first.answering($0[0]), $0[0].done(flags: .dumpInterrupted))] },
        { [.kernel(second.answering($0[0]), $0[0].done())] })
    }
    var client = try interrupted("link-veth", "link-ppp").client()
    let links = try client.links().entries
    #expect(try links.map(RouteEvent.link) == [event("link-ppp")])
    client = try interrupted("address-ipv4", "address-tentative").client()
    let addresses = try client.addresses().entries
    #expect(try addresses.map(RouteEvent.address) == [event("address-tentative")])
    client = try interrupted("rule-ipv4-main", "rule-ipv4-prohibit").client()
    let rules = try client.rules(.ipv4).entries
    #expect(try rules.map(RouteEvent.rule) == [event("rule-ipv4-prohibit")])
  }

  @Test func `the error of a failed list names the list`() {
    #expect(throws: NetlinkError(.timedOut, attempt: "list links")) {
      var client = ScriptedKernel().client()
      _ = try client.links().entries
    }
    #expect(throws: NetlinkError(.timedOut, attempt: "list addresses")) {
      var client = ScriptedKernel().client()
      _ = try client.addresses().entries
    }
    #expect(throws: NetlinkError(.timedOut, attempt: "list rules")) {
      var client = ScriptedKernel().client()
      _ = try client.rules(.ipv4).entries
    }
    #expect(throws: NetlinkError(.timedOut, attempt: "look up routes")) {
      var client = ScriptedKernel().client()
      try client.lookUp(requests(1)) { _, _ in }
    }
  }

  @Test func `each answer has its request's position, including refusals`() throws {
    let fixtures = try ["route-ipv4-lookup", "route-ipv6-expiring"].map(Fixture.init)
    let kernel = ScriptedKernel({ requests in
      [
        .kernel(requests[3].acknowledgement), .kernel(fixtures[1].answering(requests[2])),
        .kernel(requests[1].refusal(.networkUnreachable), fixtures[0].answering(requests[0])),
      ]
    })
    #expect(
      try lookUp(4, at: kernel) == [
        // A success without a route is not an answer.
        Answered(place: 3, answer: .failure(.invalidArgument)),
        Answered(place: 2, answer: .success(Expectation.route("route-ipv6-expiring"))),
        Answered(place: 1, answer: .failure(.networkUnreachable)),
        Answered(place: 0, answer: .success(Expectation.route("route-ipv4-lookup"))),
      ])
    let payloads = kernel.sent.joined().map(\.payload)
    let header: [UInt8] = [2, 32, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0]
    #expect(payloads == (0..<4).map { header + [8, 0, 1, 0, 0, 0, 0, $0] })
  }

  @Test func `an empty list of lookups sends no request`() throws {
    let kernel = ScriptedKernel()
    #expect(try lookUp(0, at: kernel) == [])
    #expect(kernel.sent == [])
  }

  @Test(arguments: [(64, [64]), (65, [64, 1]), (128, [64, 64]), (150, [64, 64, 22])])
  func `lookups are split so that the answers fit into the receive buffer`(count: Int, parts: [Int]) throws {
    // In reverse order, each with its request's destination as the source.
    let answering: ScriptedKernel.Turn = { requests in
      requests.reversed().map { request in
        let octets = request.payload.suffix(4)
        return .kernel(
          request.message(.newRoute) {
            $0.appendZeros(12)
            $0.attribute(7, bytes: octets)
          })
      }
    }
    let kernel = ScriptedKernel(answering, answering, answering)
    let answers = try lookUp(count, at: kernel)
    #expect(Set(answers.map(\.place)) == Set(0..<count))
    let sources = answers.map { try? $0.answer.get().preferredSource }
    #expect(sources == answers.map { .v4(.init(rawValue: UInt32($0.place))) })
    #expect(answers.count == count)
    #expect(kernel.sent.map(\.count) == parts)
    #expect(kernel.sent.joined().map(\.header.sequence) == (1...UInt32(count)).map { $0 })
  }
}
#endif
