// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import DeadlineSupport
import ReachabilityKit
import Testing

@Suite(.deadline) struct OutputTextTests {
  private func text(_ append: (inout OutputText) -> Void) -> String {
    var text = OutputText()
    append(&text)
    return text.string
  }

  @Test(arguments: [
    (0, 1, "0."), (7, 2, "07."), (10, 1, "10."), (99, 3, "099."), (12345, 4, "12345."),
    (UInt32.max, 1, "4294967295."),
  ])
  func `numbers have at least so many digits`(number: UInt32, digits: Int, expected: String) {
    #expect(text { $0.append(number, digits: digits, then: ".") } == expected)
    #expect(text { $0.append(number, digits: digits) } + "." == expected)
  }

  @Test(arguments: [
    "0.0.0.0", "10.1.0.254", "255.255.255.255", "198.51.100.1", "fd00:1::fe", "::ffff:10.0.0.1",
  ])
  func `addresses read as they describe themselves`(address: ReachabilityAddress) {
    #expect(text { $0.append(address) } == address.description)
  }

  @Test func `a text grows with its pieces`() {
    let pieces = ["", "short", "\u{e9}\u{1f600}", String(repeating: "long ", count: 500)]
    let expected = (0..<20).map { "\(pieces[$0 % pieces.count])\($0)" }.joined()
    let grown = text { text in
      for number in 0..<20 as Range<Int> {
        text.append(pieces[number % pieces.count])
        text.append(UInt32(number))
      }
    }
    #expect(grown == expected)
  }

  @Test func `only spaces at the end are removed`() {
    #expect(
      text {
        $0.append(" a b   ")
        $0.trimEnd()
        $0.append("c ")
        $0.trimEnd()
      } == " a bc")
    #expect(
      text {
        $0.append("  ")
        $0.trimEnd()
        $0.trimEnd()
      } == "")
  }
}
