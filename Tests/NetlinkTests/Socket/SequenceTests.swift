// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Testing
@testable import Netlink

@Suite(.deadline) struct SequenceTests {
  private static let answering: ScriptedKernel.Turn = { requests in requests.map { .kernel($0.route) } }

  @Test func `sequence numbers start with one and increase across requests`() throws {
    let kernel = ScriptedKernel(
      Self.answering, { requests in [.kernel(requests[0].done())] },
      { requests in [.kernel(requests[0].acknowledgement)] }, Self.answering)
    var conversation = kernel.conversation()
    _ = try conversation.ask(2)
    _ = try conversation.list()
    try conversation.command()
    _ = try conversation.ask(1)
    #expect(kernel.sent.map { $0.map(\.header.sequence) } == [[1, 2], [3], [4], [5]])
  }

  @Test(arguments: [66, 65, 64, 2, 1, 0] as [UInt32])
  func `sequence numbers wrap before zero, which marks notifications`(_ rest: UInt32) throws {
    let kernel = ScriptedKernel(Self.answering, Self.answering, Self.answering)
    var conversation = kernel.conversation()
    _ = try conversation.ask(37)
    try conversation.replaceSequence(37, with: .max - rest)
    for count in [64, 64] {
      let answers = try conversation.ask(count)
      #expect(answers == (0..<count).map { .route($0) })
    }
    for requests in kernel.sent {
      let first = try #require(requests.first).header.sequence
      #expect(first > 0)
      // Consecutive, without a wrap in between.
      #expect(requests.map(\.header.sequence) == requests.indices.map { first + UInt32($0) })
    }
    let numbers = kernel.sent.dropFirst().joined().map(\.header.sequence)
    #expect(Set(numbers).count == 128)
    #expect(numbers.contains(1))
  }
}

extension Conversation {
  /// Sets the last sequence number, as after four thousand million requests.
  ///
  /// The number is private and the product never sets it, so the test finds it in the conversation's memory.
  fileprivate mutating func replaceSequence(_ old: UInt32, with new: UInt32) throws {
    let size = MemoryLayout<Self>.size
    let places = unsafe withUnsafeMutablePointer(to: &self) { pointer in
      let memory = UnsafeMutableRawPointer(pointer)
      let places = stride(from: 0, to: size - 3, by: 4).filter {
        unsafe memory.load(fromByteOffset: $0, as: UInt32.self) == old
      }
      if places.count == 1 { unsafe memory.storeBytes(of: new, toByteOffset: places[0], as: UInt32.self) }
      return places
    }
    try #require(places.count == 1, "the number is not where it can be found")
  }
}
#endif
