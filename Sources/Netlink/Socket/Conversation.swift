#if os(Linux)
/// Requests and their answers over one socket.
///
/// One owner at a time: each request is sent and its answers are taken before the next. Only the kernel (port 0)
/// is believed; what others send is counted and dropped.
package struct Conversation: ~Copyable, Sendable {
  private let channel: any Transport
  /// How many datagrams came from somebody else than the kernel.
  package private(set) var foreignDatagrams = 0
  /// How often answers were lost because the buffer was full.
  package private(set) var overruns = 0
  private var sequence: UInt32 = 0
  private var encoder = MessageEncoder()
  private var buffer: [UInt8]
  /// Room for the answers to many requests, made when it is needed first.
  private var slots = DatagramSlots(count: 0, size: Self.slotSize)

  /// How often an interrupted list is asked for anew, and a batch of whose answers none came.
  private static var attempts: Int { 3 }
  /// How many datagrams that answer nothing are passed over during one request.
  private static var patience: Int { 100_000 }
  /// How long an answer may be that is taken together with others; most are half as long.
  private static var slotSize: Int { 512 }
  /// From how many requests on the answers are taken together.
  private static var manyRequests: Int { 4 }

  package init(over channel: any Transport, bufferSize: Int = 16384) {
    self.channel = channel
    buffer = Array(repeating: 0, count: bufferSize)
  }

  /// Sends requests in one datagram and hands each answer to `reply` with the request's position.
  ///
  /// A request is answered once: by a message, or by an error. Every answer waits in the socket when the send
  /// returns, so at most ``batchLimit`` may go out at once.
  ///
  /// - Throws: What went wrong with the conversation as a whole; a refusal of one request is an answer.
  package mutating func batch(
    _ attempt: @autoclosure () -> String, type: MessageType, count: Int,
    encode: (Int, inout MessageEncoder) -> Void,
    reply: (Int, RawSpan, Answer) throws(DecodingError) -> Void
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
    _ answered: inout Int, _ reply: (Int, RawSpan, Answer) throws(DecodingError) -> Void
  ) throws(DecodingError) {
    var messages = MessageReader(in: range)
    while let message = try messages.next(bytes) {
      let index = Int(message.header.sequence &- first)
      guard index < count, isAnswered & (1 << index) == 0 else { continue }
      isAnswered |= 1 << index
      answered += 1
      try reply(index, bytes, try Answer(message, of: bytes))
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

  /// Sends one request and reads its answer; `reply` returns `nil` for what is none.
  ///
  /// - Throws: What went wrong with the conversation; a refusal is an answer.
  package mutating func request<Value>(
    _ attempt: @autoclosure () -> String, type: MessageType, flags: MessageFlags = [],
    isRepeatable: Bool = true,
    encode: (inout MessageEncoder) -> Void,
    reply: (RawSpan, Answer) throws(DecodingError) -> Value?
  ) throws(NetlinkError) -> Value {
    for _ in 0..<(isRepeatable ? Self.attempts : 1) {
      let wanted = nextSequence(1)
      encoder.removeAll()
      encoder.beginMessage(type: type, flags: flags.union(.request), sequence: wanted)
      encode(&encoder)
      encoder.endMessage()
      try send(attempt)
      var isLossy = false
      var ignored = 0
      receiving: while ignored < Self.patience {
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

  /// Sends one request and waits for the kernel's yes or no.
  ///
  /// - Throws: ``NetlinkError`` with code `refused` and the kernel's text if it says no.
  package mutating func acknowledged(
    _ attempt: @autoclosure () -> String, type: MessageType, flags: MessageFlags = [],
    encode: (inout MessageEncoder) -> Void
  ) throws(NetlinkError) {
    let attempt = attempt()
    let flags = flags.union(.acknowledge)
    // Not asked again if the answer is lost: the kernel may have done it.
    let answer = try request(attempt, type: type, flags: flags, isRepeatable: false, encode: encode) {
      if case .acknowledgement(let acknowledgement) = $1 { acknowledgement } else { nil }
    }
    if let error = answer.error {
      throw NetlinkError(.refused, attempt: attempt, errno: error, detail: answer.text)
    }
  }

  /// Asks for a whole table.
  ///
  /// Asks again, up to three times, when the table changed meanwhile or messages were lost; `restart` is called
  /// before each attempt, so that what was collected can be dropped.
  ///
  /// - Throws: ``NetlinkError`` with code `interrupted` if the table never holds still.
  package mutating func dump(
    _ attempt: @autoclosure () -> String, type: MessageType,
    encode: (inout MessageEncoder) -> Void,
    restart: () -> Void,
    each: (RawSpan, Message) throws(DecodingError) -> Void
  ) throws(NetlinkError) {
    for _ in 0..<Self.attempts {
      restart()
      let wanted = nextSequence(1)
      encoder.removeAll()
      encoder.beginMessage(type: type, flags: [.request, .dump], sequence: wanted)
      encode(&encoder)
      encoder.endMessage()
      try send(attempt)

      var progress = DumpProgress()
      var failure: NetlinkError?
      var ignored = 0
      while !progress.isDone {
        // Also when it is of no use any more, the list is taken to its end: before, the kernel begins no other. But
        // the end may be what was lost.
        let isUseless = progress.isInterrupted || failure != nil
        let received: Received
        do throws(NetlinkError) {
          received = try receive(attempt, blocking: !isUseless)
        } catch {
          throw failure ?? error
        }
        if received == .nothing { break }
        ignored += 1
        guard case .datagram(let length) = received else {
          progress.isInterrupted = true
          guard ignored < Self.patience else { throw NetlinkError(.overrun, attempt: attempt()) }
          continue
        }
        let before = progress.messages
        do throws(NetlinkError) {
          try decode(attempt, RawSpan(_elements: buffer.span)) { bytes throws(DecodingError) in
            var messages = MessageReader(in: 0..<length)
            while let message = try messages.next(bytes) {
              guard message.header.sequence == wanted else { continue }
              try progress.note(message, of: bytes)
              if !progress.isDone, failure == nil { try each(bytes, message) }
            }
          }
        } catch {
          failure = failure ?? error
        }
        if progress.messages > before { ignored = 0 }
        guard ignored < Self.patience else { throw NetlinkError(.timedOut, attempt: attempt()) }
      }
      if let failure { throw failure }
      if let error = progress.error {
        throw NetlinkError(.refused, attempt: attempt(), errno: error, detail: progress.text)
      }
      if !progress.isInterrupted { return }
    }
    throw NetlinkError(.interrupted, attempt: attempt())
  }

  /// How many requests one batch may hold: the answers must fit into the smallest usual receive buffer.
  package static var batchLimit: Int { 64 }

  private func send(_ attempt: () -> String) throws(NetlinkError) {
    do throws(Errno) {
      try encoder.withSpan { bytes throws(Errno) in try channel.send(bytes) }
    } catch {
      throw NetlinkError(.system, attempt: attempt(), errno: error)
    }
  }

  /// What a receive came to.
  private enum Received: Equatable {
    /// A datagram of so many bytes from the kernel.
    case datagram(Int)
    /// Messages were lost.
    case loss
    /// Nothing is there, of a receive that does not wait.
    case nothing
  }

  /// Takes the next datagram of the kernel.
  ///
  /// After a loss nobody should wait for more: all that was kept is there, and until the socket is empty the kernel
  /// drops answers without another word.
  private mutating func receive(
    _ attempt: () -> String, blocking: Bool = true
  ) throws(NetlinkError) -> Received {
    for _ in 0..<Self.patience {
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
        // What is left of it is of no use; ask again with room for it.
        buffer = Array(repeating: 0, count: datagram.count.alignedToNetlink)
        return .loss
      }
      return .datagram(datagram.count)
    }
    throw NetlinkError(.timedOut, attempt: attempt())
  }

  private func decode<Value>(
    _ attempt: () -> String, _ bytes: RawSpan, _ body: (RawSpan) throws(DecodingError) -> Value
  ) throws(NetlinkError) -> Value {
    do throws(DecodingError) {
      return try body(bytes)
    } catch {
      throw NetlinkError(.malformed, attempt: attempt(), detail: error.description)
    }
  }

  private mutating func nextSequence(_ count: Int) -> UInt32 {
    // Zero marks notifications.
    if sequence > .max - UInt32(count) - 1 { sequence = 0 }
    defer { sequence += UInt32(count) }
    return sequence + 1
  }
}
#endif
