#if os(Linux)
import POSIX

/// The exchange of requests and answers over one socket.
///
/// One owner at a time: the answers to a request are received before the next request is sent. Only datagrams of the
/// kernel (port 0) are trusted; others are counted and dropped.
package struct Conversation: ~Copyable, Sendable {
  let channel: any Transport
  /// The number of datagrams from senders other than the kernel.
  package internal(set) var foreignDatagrams = 0
  /// The number of receives that failed because the buffer was full.
  package internal(set) var overruns = 0
  /// The number of messages in dumps that could not be decoded and were skipped.
  package private(set) var unreadableMessages = 0
  private var sequence: UInt32 = 0
  var encoder = MessageEncoder()
  /// Allocated by the first receive, because some conversations never take place.
  var buffer: [UInt8] = []
  private let bufferSize: Int
  /// The buffer for the answers to many requests, allocated by the first such batch.
  var slots = DatagramSlots(count: 0, size: Self.slotSize)

  /// The number of attempts for an interrupted dump, or for a batch without answers.
  static var attempts: Int { 3 }
  /// The number of unrelated datagrams that one request skips.
  static var skipLimit: Int { 100_000 }
  /// The size in bytes of one slot; most answers are half as long.
  static var slotSize: Int { 512 }
  /// The smallest batch whose answers are received together.
  static var slotThreshold: Int { 4 }

  package init(over channel: any Transport, bufferSize: Int = 16384) {
    self.channel = channel
    self.bufferSize = bufferSize
  }

  /// Sends one request and returns its answer; `reply` returns `nil` for unrelated messages.
  ///
  /// - Throws: The failure of the conversation; a refusal is an answer.
  package mutating func request<Value>(
    _ attempt: @autoclosure () -> String, type: MessageType, flags: MessageFlags = [],
    encode: (inout MessageEncoder) -> Void,
    reply: (RawSpan, Answer) throws(DecodingError) -> Value?
  ) throws(NetlinkError) -> Value {
    for _ in 0..<Self.attempts {
      let wanted = nextSequence(1)
      encoder.removeAll()
      encoder.beginMessage(type: type, flags: flags.union(.request), sequence: wanted)
      encode(&encoder)
      encoder.endMessage()
      try send(attempt)
      var isLossy = false
      var ignored = 0
      receiving: while ignored < Self.skipLimit {
        switch try receive(attempt, blocking: !isLossy) {
        case .nothing: break receiving
        case .loss where isLossy: break receiving
        case .loss: isLossy = true
        case .datagram(let length):
          let value = try decode(attempt, RawSpan(_elements: buffer.span)) {
            bytes throws(DecodingError) -> Value? in
            var messages = MessageReader(in: 0..<length)
            while let message = try messages.next(bytes) {
              guard message.header.sequence == wanted else { continue }
              if let value = try reply(bytes, try Answer(message, of: bytes)) { return value }
            }
            return nil
          }
          if let value { return value }
        }
        ignored += 1
      }
      guard isLossy else { throw NetlinkError(.timedOut, attempt: attempt()) }
    }
    throw NetlinkError(.overrun, attempt: attempt())
  }

  /// Lists a whole table.
  ///
  /// Repeats the dump, up to three attempts in all, if the table changed meanwhile or messages were lost. `restart`
  /// runs before each attempt, so that collected entries can be discarded. An entry that `each` cannot decode is
  /// skipped and counted.
  ///
  /// - Returns: Whether the table was stable during the last attempt. If not, the entries may lack some that were there
  ///   all the time, and include some that are gone.
  @discardableResult
  package mutating func dump(
    _ attempt: @autoclosure () -> String, type: MessageType,
    encode: (inout MessageEncoder) -> Void,
    restart: () -> Void,
    each: (RawSpan, Message) throws(DecodingError) -> Void
  ) throws(NetlinkError) -> Bool {
    for remaining in (0..<Self.attempts).reversed() {
      restart()
      let wanted = nextSequence(1)
      encoder.removeAll()
      encoder.beginMessage(type: type, flags: [.request, .dump], sequence: wanted)
      encode(&encoder)
      encoder.endMessage()
      try send(attempt)

      var progress = DumpProgress()
      var isLossy = false
      var failure: NetlinkError?
      var ignored = 0
      while !progress.isDone {
        // Even a useless dump is received to its end, because the kernel starts no other before. But the end itself
        // may be lost.
        let received: Received
        do throws(NetlinkError) {
          received = try receive(attempt, blocking: !isLossy && failure == nil)
        } catch {
          throw failure ?? error
        }
        if received == .nothing { break }
        ignored += 1
        guard case .datagram(let length) = received else {
          isLossy = true
          guard ignored < Self.skipLimit else { throw NetlinkError(.overrun, attempt: attempt()) }
          continue
        }
        let before = progress.messages
        var unreadable = 0
        do throws(NetlinkError) {
          try decode(attempt, RawSpan(_elements: buffer.span)) { bytes throws(DecodingError) in
            var messages = MessageReader(in: 0..<length)
            while let message = try messages.next(bytes) {
              guard message.header.sequence == wanted else { continue }
              try progress.note(message, of: bytes)
              guard !progress.isDone else { continue }
              do throws(DecodingError) {
                try each(bytes, message)
              } catch {
                unreadable += 1
              }
            }
          }
        } catch {
          // The start of the next message is unknown, and one of the missed messages may be the end.
          unreadable += 1
          failure = failure ?? error
        }
        unreadableMessages += unreadable
        if progress.messages > before { ignored = 0 }
        guard ignored < Self.skipLimit else { throw NetlinkError(.timedOut, attempt: attempt()) }
      }
      if let failure, !progress.isDone { throw failure }
      if let error = progress.error {
        throw NetlinkError(.refused, attempt: attempt(), errno: error, detail: progress.text)
      }
      guard !isLossy else { continue }
      if !progress.isInterrupted || remaining == 0 { return !progress.isInterrupted }
    }
    throw NetlinkError(.overrun, attempt: attempt())
  }

  /// The size limit of a batch: its answers must fit into the smallest usual receive buffer.
  package static var batchLimit: Int { 64 }

  func send(_ attempt: () -> String) throws(NetlinkError) {
    do throws(Errno) {
      try encoder.withSpan { bytes throws(Errno) in try channel.send(bytes) }
    } catch {
      throw NetlinkError(.system, attempt: attempt(), errno: error)
    }
  }

  /// The result of a receive.
  enum Received: Equatable {
    /// A datagram from the kernel, with its length.
    case datagram(Int)
    /// Messages were lost.
    case loss
    /// The queue is empty, after a receive that does not block.
    case nothing
  }

  /// Receives the next datagram of the kernel.
  ///
  /// After a loss the caller must not block: all remaining datagrams are queued, and until the queue is empty the
  /// kernel drops further answers silently.
  mutating func receive(
    _ attempt: () -> String, blocking: Bool = true
  ) throws(NetlinkError) -> Received {
    if buffer.isEmpty { buffer = Array(repeating: 0, count: bufferSize) }
    for _ in 0..<Self.skipLimit {
      let datagram: Datagram
      do throws(Errno) {
        datagram = try channel.receive(into: &buffer, blocking: blocking)
      } catch .noBufferSpace {
        overruns += 1
        return .loss
      } catch .wouldBlock {
        guard blocking else { return .nothing }
        throw NetlinkError(.timedOut, attempt: attempt())
      } catch {
        throw NetlinkError(.system, attempt: attempt(), errno: error)
      }
      guard datagram.senderPort == 0 else {
        foreignDatagrams += 1
        continue
      }
      guard datagram.count <= buffer.count else {
        // A truncated datagram is useless; the next attempt has room for it.
        buffer = Array(repeating: 0, count: datagram.count.alignedToNetlink)
        return .loss
      }
      return .datagram(datagram.count)
    }
    throw NetlinkError(.timedOut, attempt: attempt())
  }

  func decode<Value>(
    _ attempt: () -> String, _ bytes: RawSpan, _ body: (RawSpan) throws(DecodingError) -> Value
  ) throws(NetlinkError) -> Value {
    do throws(DecodingError) {
      return try body(bytes)
    } catch {
      throw NetlinkError(.malformed, attempt: attempt(), detail: error.description)
    }
  }

  mutating func nextSequence(_ count: Int) -> UInt32 {
    // Notifications have sequence zero.
    if sequence > .max - UInt32(count) - 1 { sequence = 0 }
    defer { sequence += UInt32(count) }
    return sequence + 1
  }
}

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

/// The progress of a dump, the kernel's answer to a request for a whole table.
struct DumpProgress {
  var messages = 0
  var isDone = false
  var isInterrupted = false
  var error: Errno?
  var text: String?

  mutating func note(_ message: Message, of bytes: RawSpan) throws(DecodingError) {
    messages += 1
    if message.header.flags.contains(.dumpInterrupted) { isInterrupted = true }
    switch message.header.type {
    case .done:
      isDone = true
      let (start, end) = (message.payload.lowerBound, message.payload.upperBound)
      // Since Linux 4.20 the end of a dump carries its result.
      guard end - start >= 4 else { return }
      let code = try bytes.integer(Int32.self, at: start, before: end)
      if code < 0, code > Int32.min { error = Errno(rawValue: -code) }
    case .error:
      let acknowledgement = try Acknowledgement(decoding: bytes, message)
      isDone = true
      error = acknowledgement.error
      text = acknowledgement.text
    default:
      break
    }
  }
}
#endif
