#if os(Linux)
import POSIX

extension Conversation {
  /// Sends requests in one datagram and hands each answer to `reply` with the request's position.
  ///
  /// A request is answered once: by a message, or by an error. Every answer waits in the socket when the send
  /// returns, so at most ``batchLimit`` may go out at once.
  ///
  /// - Throws: What went wrong with the conversation as a whole; a refusal of one request is an answer.
  package mutating func batch(
    _ attempt: @autoclosure () -> String, type: MessageType, count: Int,
    encode: (Int, inout MessageEncoder) -> Void,
    reply: (Int, RawSpan, Message) throws(DecodingError) -> Void
  ) throws(NetlinkError) {
    precondition(count <= Self.batchLimit)
    var answered = 0
    var isAnswered = UInt64(0)
    var failures = 0
    var usesSlots = count >= Self.manyRequests
    while failures < Self.attempts {
      let first = nextSequence(count)
      encoder.removeAll()
      for index in 0..<count where isAnswered & (1 << index) == 0 {
        encoder.beginMessage(type: type, flags: .request, sequence: first &+ UInt32(index))
        encode(index, &encoder)
        encoder.endMessage()
      }
      try send(attempt)

      let answeredBefore = answered
      var isLossy = false
      var ignored = 0
      receiving: while answered < count {
        let before = answered
        let areSlotsFilled = usesSlots && !isLossy ? try fillSlots(attempt) : false
        if areSlotsFilled == nil {
          isLossy = true
        } else if areSlotsFilled == true {
          for slot in slots.datagrams.indices {
            guard slots.datagrams[slot].senderPort == 0 else {
              foreignDatagrams += 1
              continue
            }
            guard let range = slots.range(of: slot) else {
              // What is left of it is of no use; ask again with room for it.
              usesSlots = false
              isLossy = true
              continue
            }
            try decode(attempt, RawSpan(_elements: slots.bytes.span)) { bytes throws(DecodingError) in
              try Self.take(range, of: bytes, after: first, count, &isAnswered, &answered, reply)
            }
          }
        } else {
          switch try receive(attempt, blocking: !isLossy) {
          case .nothing: break receiving
          case .loss where isLossy: break receiving
          case .loss: isLossy = true
          case .datagram(let length):
            try decode(attempt, RawSpan(_elements: buffer.span)) { bytes throws(DecodingError) in
              try Self.take(0..<length, of: bytes, after: first, count, &isAnswered, &answered, reply)
            }
          }
        }
        if answered == before { ignored += 1 }
        if ignored < Self.patience { continue }
        guard isLossy else { throw NetlinkError(.timedOut, attempt: attempt()) }
        break
      }
      if answered == count { return }
      // A small socket has room for few answers at a time, but for some.
      failures = answered > answeredBefore ? 0 : failures + 1
    }
    throw NetlinkError(.overrun, attempt: attempt())
  }

  /// Takes the answers of a datagram to requests that were not answered yet.
  private static func take(
    _ range: Range<Int>, of bytes: RawSpan, after first: UInt32, _ count: Int, _ isAnswered: inout UInt64,
    _ answered: inout Int, _ reply: (Int, RawSpan, Message) throws(DecodingError) -> Void
  ) throws(DecodingError) {
    var messages = MessageReader(in: range)
    while let message = try messages.next(bytes) {
      let index = Int(message.header.sequence &- first)
      guard index < count, isAnswered & (1 << index) == 0 else { continue }
      isAnswered |= 1 << index
      answered += 1
      try reply(index, bytes, message)
    }
  }

  /// Takes the datagrams that wait; returns whether there are any, or `nil` if messages were lost.
  private mutating func fillSlots(_ attempt: () -> String) throws(NetlinkError) -> Bool? {
    if slots.count == 0 { slots = DatagramSlots(count: Self.batchLimit, size: Self.slotSize) }
    do throws(Errno) {
      try channel.receive(into: &slots)
      return true
    } catch .wouldBlock {
      return false
    } catch .noBufferSpace {
      overruns += 1
      return nil
    } catch {
      throw NetlinkError(.system, attempt: attempt(), errno: error)
    }
  }
}
#endif
