// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

/// DNS queries, and the messages that answer them.
@Suite(.deadline) struct NameQuestionTests {
  private let question: NameQuestion

  init() throws {
    question = NameQuestion(try ReachabilityTarget.HostName("www.a-1.test."), number: 0xbeef)
  }

  /// The query as a server returns it with a code.
  private func answer(_ code: UInt8 = 0) -> [UInt8] {
    var bytes = question.bytes
    bytes[2] = 0x81
    bytes[3] = 0x80 | code
    return bytes
  }

  @Test func `a query has the format of RFC 1035`() {
    #expect(
      question.bytes == [0xbe, 0xef, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + [3] + Array("www".utf8) + [3]
        + Array("a-1".utf8) + [4] + Array("test".utf8) + [0, 0, 1, 0, 1])
  }

  @Test func `an answer has its code, whatever bytes follow`() {
    for code in 0...15 as ClosedRange<UInt8> {
      #expect(question.code(of: answer(code)) == code)
      #expect(question.code(of: answer(code) + [1, 2, 3]) == code)
    }
    var other = answer(3)
    other[13] = UInt8(ascii: "W")
    #expect(question.code(of: other) == 3)
  }

  @Test func `an answer with an error may omit the question`() {
    var bytes = answer(1)
    bytes[5] = 0
    #expect(question.code(of: Array(bytes.prefix(12))) == 1)
  }

  @Test func `a truncated or foreign message is not an answer`() {
    #expect(question.code(of: question.bytes) == nil)
    for length in 0..<answer().count { #expect(question.code(of: Array(answer().prefix(length))) == nil) }
    for place in [0, 1, 12, 13, question.bytes.count - 1] {
      var bytes = answer()
      bytes[place] ^= 1
      #expect(question.code(of: bytes) == nil, "\(place)")
    }
  }

  @Test func `queries have unpredictable identifiers`() throws {
    let name = try ReachabilityTarget.HostName("a.test")
    let numbers = Set((0..<100).map { _ in NameQuestion(name).bytes.prefix(2).map(\.self) })
    #expect(numbers.count > 90)
  }
}
