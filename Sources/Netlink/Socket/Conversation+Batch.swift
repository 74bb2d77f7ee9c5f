#if os(Linux)
import POSIX

extension Conversation {
  /// Sends requests in one datagram and passes each answer to `reply` with the request's position.
  ///
  /// Each request has one answer: a message or an error. All answers are queued when the send returns, so a batch has
  /// at most ``batchLimit`` requests.
  ///
  /// - Throws: The failure of the conversation; a refusal of one request is an answer.
  package mutating func batch(
    _ attempt: @autoclosure () -> String, type: MessageType, count: Int,
    encode: (Int, inout MessageEncoder) -> Void,
    reply: (Int, RawSpan, Message) throws(DecodingError) -> Void
  ) throws(NetlinkError) {
    precondition(count <= Self.batchLimit)
    var answered = 0
    var isAnswered = UInt64(0)
    var failures = 0
    var usesSlots = count >= Self.slotThreshold
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
              // A truncated datagram is useless; the next attempt has room for it.
              usesSlots = false
              isLossy = true
              continue
            }
            try decode(attempt, RawSpan(_elements: slots.bytes.span)) { bytes throws(DecodingError) in
              try Self.handOver(range, of: bytes, after: first, count, &isAnswered, &answered, reply)
            }
          }
        } else {
          switch try receive(attempt, blocking: !isLossy) {
          case .nothing: break receiving
          case .loss where isLossy: break receiving
          case .loss: isLossy = true
          case .datagram(let length):
            try decode(attempt, RawSpan(_elements: buffer.span)) { bytes throws(DecodingError) in
              try Self.handOver(0..<length, of: bytes, after: first, count, &isAnswered, &answered, reply)
            }
          }
        }
        if answered == before { ignored += 1 }
        if ignored < Self.skipLimit { continue }
        guard isLossy else { throw NetlinkError(.timedOut, attempt: attempt()) }
        break
      }
      if answered == count { return }
      // A small socket buffer holds few answers, but any progress is worth another attempt.
      failures = answered > answeredBefore ? 0 : failures + 1
    }
    throw NetlinkError(.overrun, attempt: attempt())
  }

  /// Passes on the answers in a datagram to requests without an answer yet.
  private static func handOver(
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

  /// Receives the queued datagrams; returns whether there are any, or `nil` if messages were lost.
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
