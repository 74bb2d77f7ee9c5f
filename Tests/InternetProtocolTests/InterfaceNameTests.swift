import DeadlineSupport
import InternetProtocol
import Testing

@Suite(.deadline) struct InterfaceNameTests {
  @Test func `names with the same bytes are equal`() {
    #expect(InterfaceName("eth0") == InterfaceName(bytes: Array("eth0".utf8)))
    #expect(InterfaceName("caf\u{e9}") == InterfaceName(bytes: [0x63, 0x61, 0x66, 0xc3, 0xa9]))
    #expect(Set([InterfaceName("caf\u{e9}"), InterfaceName(bytes: Array("caf\u{e9}".utf8))]).count == 1)
  }

  @Test func `texts that look alike are different names`() {
    #expect(("caf\u{e9}" as String) == "cafe\u{301}")
    #expect(InterfaceName("caf\u{e9}") != InterfaceName("cafe\u{301}"))
  }

  @Test func `a name with invalid UTF-8 equals no text and no other such name`() {
    let names: [InterfaceName] = [.init(bytes: [0x78, 0xff]), .init(bytes: [0x78, 0xfe]), "x\u{fffd}"]
    #expect(Set(names).count == 3)
    #expect(names.map(\.text) == ["x\u{fffd}", "x\u{fffd}", "x\u{fffd}"])
    #expect(names.map(\.isText) == [false, false, true])
    #expect(names.map(\.octets) == [[0x78, 0xff], [0x78, 0xfe], [0x78, 0xef, 0xbf, 0xbd]])
  }
}
