// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Testing
@testable import Netlink

@Suite(.deadline) struct PolicyMessageTests {
  /// Answers of Linux 6.18, x86_64, to `XFRM_MSG_GETPOLICY`, without the first 16 bytes.
  ///
  /// Commands: `ip xfrm policy add src 10.1.0.0/24 dst 10.9.0.0/16 proto udp dport 53 dir out priority 7 action block mark 5
  /// mask 0xff` and `ip xfrm policy add src fd00:1::/64 dst fd00:9::/32 dir out priority 9 tmpl src fd00:1::1 dst fd00:1::2
  /// proto esp mode tunnel`.
  private static let block = """
    0a 09 00 00 00 00 00 00 00 00 00 00 00 00 00 00 0a 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00
    00 35 ff ff 00 00 00 00 02 00 10 18 11 00 00 00 00 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff
    ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff 00 00 00 00 00 00 00 00
    00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
    00 00 00 00 00 00 00 00 83 fb 04 6b 00 00 00 00 00 00 00 00 00 00 00 00 07 00 00 00 01 00 00 00
    01 01 00 00 00 00 00 00 0a 00 10 00 00 00 00 00 00 00 00 00 0c 00 15 00 05 00 00 00 ff 00 00 00
    """
  private static let template = """
    fd 00 00 09 00 00 00 00 00 00 00 00 00 00 00 00 fd 00 00 01 00 00 00 00 00 00 00 00 00 00 00 00
    00 00 00 00 00 00 00 00 0a 00 20 40 00 00 00 00 00 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff
    ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff 00 00 00 00 00 00 00 00
    00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
    00 00 00 00 00 00 00 00 83 fb 04 6b 00 00 00 00 00 00 00 00 00 00 00 00 09 00 00 00 09 00 00 00
    01 00 00 00 00 00 00 00 44 00 05 00 fd 00 00 01 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00 00
    32 00 00 00 0a 00 00 00 fd 00 00 01 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 00 01 00 00 00
    ff ff ff ff ff ff ff ff ff ff ff ff 0a 00 10 00 00 00 00 00 00 00 00 00
    """

  private func bytes(_ text: String) -> [UInt8] {
    text.split { $0 == " " || $0 == "\n" }.compactMap { UInt8($0, radix: 16) }
  }

  private func policy(_ bytes: [UInt8]) throws -> PolicyMessage {
    try PolicyMessage(decoding: RawSpan(_elements: bytes.span), in: 0..<bytes.count)
  }

  @Test func `a recorded policy has its selector, action and mark`() throws {
    let block = try policy(bytes(Self.block))
    #expect(block.destination?.description == "10.9.0.0/16" && block.source?.description == "10.1.0.0/24")
    #expect(block.protocolNumber == 17 && block.destinationPort == 53 && block.destinationPortMask == 0xffff)
    #expect(block.sourcePortMask == 0 && block.interface == 0)
    #expect(block.direction == .outgoing && block.blocks && block.priority == 7 && block.index == 1)
    #expect(block.mark == 5 && block.markMask == 0xff && block.templates == 0 && !block.isSub)
    let template = try policy(bytes(Self.template))
    #expect(
      template.destination?.description == "fd00:9::/32" && template.source?.description == "fd00:1::/64")
    #expect(
      template.direction == .outgoing && !template.blocks && template.templates == 1 && template.priority == 9
    )
  }

  @Test func `a policy that is cut off is refused`() throws {
    let all = bytes(Self.block)
    for count in 0..<168 {
      #expect(throws: DecodingError.self) { try policy(Array(all[..<count])) }
    }
    #expect(try policy(Array(all[..<168])).priority == 7, "all but the attributes")
  }
}
#endif
