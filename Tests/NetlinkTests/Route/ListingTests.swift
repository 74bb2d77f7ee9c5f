#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Testing
@testable import Netlink

/// Tables that hold what can't be read, or hold still for nobody.
@Suite(.deadline) struct ListingTests {
  /// A kernel that lists entries of a type, with these payloads.
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

  /// An attribute whose length is more than there is.
  private static let lie: [UInt8] = [200, 0, 1, 0]

  @Test func `a link that can't be read is skipped, and its index is known`() throws {
    let links = (2...3).map { index in with(LinkMessage()) { ($0.index, $0.name) = (index, "eth0") } }
    let payloads = links.map { link in bytes { link.encode(into: &$0) } }
    var client = client(.newLink, payloads[0] + Self.lie, payloads[1], [0, 0, 1])
    let listing = try client.links()
    #expect(listing.entries == [links[1]])
    #expect(listing.skipped == [2, 0])
    #expect(client.conversation.unreadableMessages == 2)
  }

  @Test func `an address that can't be read is skipped, and its link is known`() throws {
    let address = with(AddressMessage()) {
      ($0.family, $0.prefixLength, $0.index, $0.local) = (.ipv4, 24, 2, "10.1.0.1")
    }
    let payload = bytes { address.encode(into: &$0) }
    var client = client(.newAddress, payload + Self.lie, payload, [])
    let listing = try client.addresses()
    #expect(listing.entries == [address])
    #expect(listing.skipped == [2, 0])
    #expect(client.conversation.unreadableMessages == 2)
  }

  @Test func `a rule that can't be read is skipped`() throws {
    let rule = with(RuleMessage()) { ($0.family, $0.priority) = (.ipv4, 100) }
    let payload = bytes { rule.encode(into: &$0) }
    var client = client(.newRule, payload + Self.lie, payload)
    let listing = try client.rules(.ipv4)
    #expect(listing.entries == [rule])
    #expect(listing.skipped.count == 1)
    #expect(client.conversation.unreadableMessages == 1)
  }

  /// What `pn_addr` of a phone's network and MCTP have: one byte in `IFA_LOCAL`.
  @Test func `addresses of other families are skipped, and are nothing unreadable`() throws {
    let address = with(AddressMessage()) { ($0.family, $0.index, $0.local) = (.ipv6, 3, "fd00::1") }
    let phonet: [UInt8] = [35, 0, 0x80, 0, 4, 0, 0, 0] + [5, 0, 2, 0, 0x10, 0, 0, 0]
    let mctp: [UInt8] = [45, 0, 0x80, 0, 5, 0, 0, 0] + [5, 0, 2, 0, 9, 0, 0, 0]
    var client = client(.newAddress, phonet, bytes { address.encode(into: &$0) }, mctp)
    let listing = try client.addresses()
    #expect(listing.entries == [address])
    #expect(listing.skipped == [])
    #expect(client.conversation.unreadableMessages == 0)
  }

  @Test func `what a bridge says of a port is no link`() throws {
    let fixture = try Fixture("link-bridge-port")
    var client = client(.newLink, Array(fixture.bytes.dropFirst(MessageHeader.size)))
    #expect(try client.links().entries == [])
    #expect(client.conversation.unreadableMessages == 0)
  }

  @Test func `a table that never holds still is kept, and said to be interrupted`() throws {
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
