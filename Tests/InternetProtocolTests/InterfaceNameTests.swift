// SPDX-License-Identifier: Apache-2.0
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

  @Test(arguments: [
    ("eth0", "eth0"), ("eth0.1", "eth0.1"), ("a-b_c:d@e", "a-b_c:d@e"), ("-n", "-n"), ("", "''"),
    ("a;id", "'a;id'"), ("$(id)", "'$(id)'"), ("`id`", "'`id`'"), (#"a"b"#, #"'a"b'"#), ("a b", "'a b'"),
    ("ютьé🙂", "'ютьé🙂'"), ("{a,b}", "'{a,b}'"), ("~", "'~'"), ("a=b", "'a=b'"), ("!!", "'!!'"),
    ("a'b", #"'a'\''b'"#), ("'", #"''\'''"#), (#"a\b"#, #"'a'\\'b'"#),
    (#"\';id;'"#, #"''\\''\'';id;'\'''"#),
    // With a mark, a quote is one Character.
    ("'\u{301};id", "''\\''\u{301};id'"),
    ("a\u{1b}[2J", #"$'a\033[2J'"#), ("e\u{3164}'\\!", #"$'e\343\205\244\047\134\041'"#),
    ("\u{7f}1", #"$'\1771'"#), ("\n", #"$'\012'"#),
  ])
  func `a word of a command is its text to a shell`(_ text: String, _ word: String) {
    #expect(Array(text.shellWord.utf8) == Array(word.utf8))
    #expect(InterfaceName(text).shellWord == text.shellWord)
  }

  @Test func `invalid UTF-8 in a word of a command is octal`() {
    #expect(InterfaceName(bytes: [0x61, 0xff, 0x3b]).shellWord == #"$'a\377;'"#)
  }
}
