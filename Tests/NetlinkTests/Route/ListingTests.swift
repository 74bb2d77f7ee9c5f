// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import NetlinkSupport
import Testing
@testable import Netlink

/// Tables with undecodable entries, and tables that never stop changing.
@Suite(.deadline) struct ListingTests {
  /// A client of a kernel that lists entries of one type with the given payloads.
  private func client(_ type: MessageType, _ payloads: [UInt8]...) -> RouteClient {
    ScriptedKernel({ requests in
      payloads.map { payload in .kernel(requests[0].message(type, flags: .multipart) { $0.append(payload) }) }
        + [.kernel(requests[0].done())]
    }).client()
  }

  private func bytes(_ encode: (inout MessageEncoder) -> Void) -> [UInt8] {
    var encoder = MessageEncoder()
    encode(&encoder)
    return encoder.bytes
  }

  /// An attribute whose length exceeds the message.
  private static let lie: [UInt8] = [200, 0, 1, 0]

  @Test func `an undecodable link is skipped, and its index is recorded`() throws {
    let links = (2...3).map { index in with(LinkMessage()) { ($0.index, $0.name) = (index, "eth0") } }
    let payloads = links.map { link in bytes { link.encode(into: &$0) } }
    var client = client(.newLink, payloads[0] + Self.lie, payloads[1], [0, 0, 1])
    let listing = try client.links()
    #expect(listing.entries == [links[1]])
    #expect(listing.skipped == [2, 0])
    #expect(client.conversation.unreadableMessages == 2)
  }

  @Test func `an undecodable address is skipped, and its link is recorded`() throws {
    let address = AddressMessage("10.1.0.1", 24, on: 2)
    let payload = bytes { address.encode(into: &$0) }
    var client = client(.newAddress, payload + Self.lie, payload, [])
    let listing = try client.addresses()
    #expect(listing.entries == [address])
    #expect(listing.skipped == [2, 0])
    #expect(client.conversation.unreadableMessages == 2)
  }

  @Test func `an undecodable rule is skipped`() throws {
    let rule = with(Rule()) { ($0.family, $0.priority) = (.ipv4, 100) }
    let payload = bytes { rule.encode(into: &$0) }
    var client = client(.newRule, payload + Self.lie, payload)
    let listing = try client.rules(.ipv4)
    #expect(listing.entries == [rule])
    #expect(listing.skipped.count == 1)
    #expect(client.conversation.unreadableMessages == 1)
  }

  /// Phonet and MCTP have one byte in `IFA_LOCAL`.
  @Test func `addresses of other families are skipped without counting as undecodable`() throws {
    let address = AddressMessage("fd00::1", 64, on: 3)
    let phonet: [UInt8] = [35, 0, 0x80, 0, 4, 0, 0, 0] + [5, 0, 2, 0, 0x10, 0, 0, 0]
    let mctp: [UInt8] = [45, 0, 0x80, 0, 5, 0, 0, 0] + [5, 0, 2, 0, 9, 0, 0, 0]
    var client = client(.newAddress, phonet, bytes { address.encode(into: &$0) }, mctp)
    let listing = try client.addresses()
    #expect(listing.entries == [address])
    #expect(listing.skipped == [])
    #expect(client.conversation.unreadableMessages == 0)
  }

  @Test func `a bridge's message about a port is not a link`() throws {
    let fixture = try Fixture("link-bridge-port")
    var client = client(.newLink, Array(fixture.bytes.dropFirst(MessageHeader.size)))
    #expect(try client.links().entries == [])
    #expect(client.conversation.unreadableMessages == 0)
  }

  @Test func `a table that never stops changing is returned as interrupted`() throws {
    let interrupted: ScriptedKernel.Turn = { requests in
      [.kernel(requests[0].link(2), requests[0].done(flags: .dumpInterrupted))]
    }
    var client = ScriptedKernel(interrupted, interrupted, interrupted).client()
    let listing = try client.links()
    #expect(listing.entries.map(\.index) == [2])
    #expect(listing.isInterrupted)
    client = ScriptedKernel(interrupted, { [.kernel($0[0].link(3), $0[0].done())] }).client()
    let settled = try client.links()
    #expect(settled.entries.map(\.index) == [3])
    #expect(!settled.isInterrupted)
  }
}
#endif
