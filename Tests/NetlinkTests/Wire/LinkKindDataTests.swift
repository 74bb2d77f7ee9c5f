// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Testing
@testable import Netlink

@Suite(.deadline) struct LinkKindDataTests {
  private func link(_ fixture: String) throws -> LinkMessage {
    let bytes = try Fixture(fixture).bytes
    return try LinkMessage(decoding: RawSpan(_elements: bytes.span), in: 16..<bytes.count)
  }

  @Test func `a bond has its active port`() throws {
    #expect(try link("link-bond").activePort == 3)
    #expect(try link("link-bond-idle").activePort == nil)
    #expect(try link("link-bridge").activePort == nil)
  }

  @Test func `undecodable bond data has no active port`() throws {
    var bond = try link("link-bond")
    let data = try #require(bond.kindData)
    for count in 0..<16 {
      bond.kindData = Array(data[0..<count])
      #expect(bond.activePort == nil, "cut after \(count) bytes")
    }
    bond.kindData = [6, 0, 2, 0, 3, 0, 0, 0]
    #expect(bond.activePort == nil)
  }

  @Test func `a VXLAN has its underlay`() throws {
    #expect(try link("link-vxlan").underlay == 2)
    #expect(try link("link-gre").underlay == nil)
  }

  @Test func `kind data is decoded only for its own kind`() throws {
    var link = try link("link-bond")
    link.kind = "vxlan"
    #expect(link.activePort == nil)
    link.kind = nil
    #expect(link.activePort == nil && link.underlay == nil)
  }
}
#endif
