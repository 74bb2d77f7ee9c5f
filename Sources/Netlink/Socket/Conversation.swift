// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import POSIX

/// The exchange of requests and answers over one socket, which may also receive announcements.
///
/// One owner at a time: the answers to a request are received before the next request is sent. Only datagrams of the
/// kernel (port 0) are trusted; others are counted and dropped.
package struct Conversation: ~Copyable, Sendable {
  let channel: any Transport
  private let port: UInt32
  /// The number of datagrams from senders other than the kernel.
  package private(set) var foreignDatagrams = 0
  /// The number of receives that failed because the buffer was full.
  package private(set) var overruns = 0
  /// The number of datagrams that exceeded the buffer for them.
  private(set) var truncatedDatagrams = 0
  /// The number of announcements, and of messages in dumps, that could not be decoded and were skipped.
  package private(set) var unreadableMessages = 0
  private var sequence: UInt32 = 0
  private var encoder = MessageEncoder()
  /// The last datagram outside a slot.
  ///
  /// Allocated by the first receive, because some conversations never take place.
  private(set) var buffer: [UInt8] = []
  private var bufferSize: Int
  /// The buffer for the answers to many requests, allocated by the first such batch.
  private var slots = DatagramSlots(count: 0, size: Self.slotSize)
  /// Whether messages were lost since the queue was last empty.
  ///
  /// Until then no receive may block: the kernel drops further answers silently, and all others are queued.
  private var isLossy = false

  /// The number of attempts for an interrupted dump, or for requests without answers.
  static var attempts: Int { 3 }
  /// The number of unrelated datagrams that one attempt skips.
  private static var skipLimit: Int { 100_000 }
  /// The size in bytes of one slot; most answers are half as long.
  private static var slotSize: Int { 512 }
  /// The smallest batch whose answers are received together.
  private static var slotThreshold: Int { 4 }
  /// The size limit of a batch: its answers must fit into the smallest usual receive buffer.
  package static var batchLimit: Int { 64 }

  package init(over channel: any Transport, bufferSize: Int = 16384) {
    self.channel = channel
    self.bufferSize = bufferSize
    port = channel.port
  }

  /// Sends one request and returns its answer; `reply` returns `nil` for unrelated messages.
  ///
  /// - Throws: The failure of the conversation; a refusal is an answer.
  package mutating func request<Value>(
    _ attempt: @autoclosure () -> String, type: MessageType, flags: MessageFlags = [],
    encode: (inout MessageEncoder) -> Void,
    reply: (RawSpan, Answer) throws(DecodingError) -> Value?
  ) throws(NetlinkError) -> Value {
    var value: Value?
    try exchange(attempt, type: type, flags: flags) { _, encoder in
      encode(&encoder)
    } reply: { _, bytes, message throws(DecodingError) in
      value = try reply(bytes, try Answer(message, of: bytes))
      return value == nil ? .unrelated : .answer
    }
    guard let value else { throw NetlinkError(.timedOut, attempt: attempt()) }
    return value
  }

  /// Sends requests in one datagram and passes each answer to `reply` with the request's position.
  ///
  /// Each request has one answer: a message or an error. All answers are queued when the send returns, so a batch has
  /// at most ``batchLimit`` requests.
  ///
  /// - Throws: The failure of the conversation; a refusal of one request is an answer.
  package mutating func batch(
    _ attempt: @autoclosure () -> String, type: MessageType, flags: MessageFlags = [], count: Int,
    encode: (Int, inout MessageEncoder) -> Void,
    reply: (Int, RawSpan, Message) throws(DecodingError) -> Void
  ) throws(NetlinkError) {
    try exchange(attempt, type: type, flags: flags, count: count, encode: encode) {
      index, bytes, message throws(DecodingError) in
      try reply(index, bytes, message)
      return .answer
    }
  }

  /// Lists a whole table.
  ///
  /// Repeats the dump, up to three attempts in all, if the table changed meanwhile or messages were lost. `restart`
  /// runs before each attempt, so that collected entries can be discarded. An entry that `each` cannot decode is
  /// skipped and counted. Even a useless dump is received to its end, because the kernel starts no other before.
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
    var progress = DumpProgress()
    var attemptsLeft = Self.attempts
    var unreadable = 0
    defer { unreadableMessages += unreadable }
    try exchange(attempt, type: type, flags: .dump) { _, encoder in
      restart()
      progress = DumpProgress()
      attemptsLeft -= 1
      encode(&encoder)
    } reply: { _, bytes, message throws(DecodingError) in
      try progress.record(message, of: bytes)
      guard progress.isDone else {
        do throws(DecodingError) {
          try each(bytes, message)
        } catch {
          unreadable += 1
        }
        return .part
      }
      guard progress.error == nil else { return .answer }
      return progress.isInterrupted && attemptsLeft > 0 ? .outdated : .end
    }
    if let error = progress.error {
      throw NetlinkError(.refused, attempt: attempt(), errno: error, detail: progress.text)
    }
    return !progress.isInterrupted
  }

  /// What a message is for the request whose number it bears.
  enum Reply {
    /// It does not belong to the answer.
    case unrelated
    /// Part of the answer, of which more follows.
    case part
    /// The answer.
    case answer
    /// The last part of an answer that is useless if any part is lost.
    case end
    /// The end of an answer that is useless.
    case outdated
  }

  /// Sends requests in one datagram, and receives until each has its answer.
  ///
  /// Repeats those without an answer if messages are lost, up to three times without progress: a small socket buffer
  /// holds few answers.
  ///
  /// - Parameters:
  ///   - usesSlots: Whether the answers to many requests are received together.
  ///   - encode: Writes the request at a position.
  ///   - announcement: Receives each announcement.
  ///   - loss: Runs where messages may be missing: after an overrun, or for undecodable ones.
  ///   - reply: Receives each message with the number of a request without an answer, and the request's position. If it
  ///     throws, so does the exchange.
  mutating func exchange(
    _ attempt: () -> String, type: MessageType, flags: MessageFlags = [], count: Int = 1,
    usesSlots: Bool = true, encode: (Int, inout MessageEncoder) -> Void,
    announcement: (RawSpan, Message) throws(DecodingError) -> Void = { _, _ in }, loss: () -> Void = {},
    reply: (Int, RawSpan, Message) throws(DecodingError) -> Reply
  ) throws(NetlinkError) {
    precondition(count <= Self.batchLimit)
    var progress = ExchangeProgress(count, usesSlots: usesSlots && count >= Self.slotThreshold)
    defer { unreadableMessages += progress.unreadable }
    do throws(NetlinkError) {
      var failures = 0
      while progress.open != 0 {
        guard failures < Self.attempts else { throw NetlinkError(.overrun, attempt: attempt()) }
        let openBefore = progress.open
        progress.begin(nextSequence(count))
        encoder.removeAll()
        for index in 0..<count where progress.isOpen(index) {
          encoder.beginMessage(
            type: type, flags: flags.union(.request), sequence: progress.first &+ UInt32(index))
          encode(index, &encoder)
          encoder.endMessage()
        }
        try send(attempt)
        while progress.open != 0, !progress.isOutdated,
          try receive(
            attempt, blocking: true, &progress, announcement: announcement, loss: loss, reply: reply)
        {
          progress.ignored += 1
          if progress.ignored < Self.skipLimit { continue }
          guard isLossy else { throw NetlinkError(.timedOut, attempt: attempt()) }
          break
        }
        failures = progress.open == openBefore ? failures + 1 : 0
      }
    } catch {
      guard let damage = progress.damage else { throw error }
      throw NetlinkError(.malformed, attempt: attempt(), detail: damage.description)
    }
  }

  /// Receives a datagram of announcements without blocking; returns whether there was anything.
  mutating func receiveAnnouncements(
    _ attempt: () -> String, _ announcement: (RawSpan, Message) throws(DecodingError) -> Void,
    loss: () -> Void
  ) throws(NetlinkError) -> Bool {
    var progress = ExchangeProgress(0, usesSlots: false)
    defer { unreadableMessages += progress.unreadable }
    return try receive(
      attempt, blocking: false, &progress, announcement: announcement, loss: loss,
      reply: { _, _, _ in .unrelated })
  }

  private mutating func send(_ attempt: () -> String) throws(NetlinkError) {
    do throws(Errno) {
      try encoder.withSpan { bytes throws(Errno) in try channel.send(bytes) }
    } catch {
      throw NetlinkError(.system, attempt: attempt(), errno: error)
    }
  }

  /// Receives a datagram, or several into slots; returns whether there was anything.
  private mutating func receive(
    _ attempt: () -> String, blocking: Bool, _ progress: inout ExchangeProgress,
    announcement: (RawSpan, Message) throws(DecodingError) -> Void, loss: () -> Void,
    reply: (Int, RawSpan, Message) throws(DecodingError) -> Reply
  ) throws(NetlinkError) -> Bool {
    // All remaining datagrams are queued after a loss, which may have been that of the answer.
    let blocking = blocking && !isLossy
    var datagram: Datagram?
    do throws(Errno) {
      let isFilled = progress.usesSlots && !isLossy ? try fillSlots() : false
      if !isFilled {
        if buffer.count < bufferSize { buffer = Array(repeating: 0, count: bufferSize) }
        datagram = try channel.receive(into: &buffer, blocking: blocking)
      }
    } catch .noBufferSpace {
      overruns += 1
      recordLoss(&progress, loss)
      defer { progress.wasOverrun = true }
      // Between two overruns there is something to receive.
      return !progress.wasOverrun
    } catch .wouldBlock where !blocking {
      isLossy = false
      return false
    } catch {
      let code: NetlinkError.Code = error == .wouldBlock ? .timedOut : .system
      throw NetlinkError(code, attempt: attempt(), errno: code == .system ? error : nil)
    }
    progress.wasOverrun = false
    do throws(DecodingError) {
      var isWhole = true
      if let datagram {
        if accepts(datagram, room: buffer.count, &progress, loss: loss) {
          let bytes = RawSpan(_elements: buffer.span)
          isWhole = try progress.read(
            datagram, at: 0, of: bytes, port: port, announcement: announcement, loss: loss, reply: reply)
        }
      } else {
        for slot in slots.datagrams.indices {
          let (datagram, start) = (slots.datagrams[slot], slot * slots.size)
          guard accepts(datagram, room: slots.size, &progress, loss: loss) else { continue }
          let bytes = RawSpan(_elements: slots.bytes.span)
          let isDivided = try progress.read(
            datagram, at: start, of: bytes, port: port, announcement: announcement, loss: loss, reply: reply)
          isWhole = isWhole && isDivided
        }
      }
      if !isWhole { isLossy = true }
    } catch {
      throw NetlinkError(.malformed, attempt: attempt(), detail: error.description)
    }
    return true
  }

  /// Receives the queued datagrams into slots; returns whether there are any.
  private mutating func fillSlots() throws(Errno) -> Bool {
    if slots.count == 0 { slots = DatagramSlots(count: Self.batchLimit, size: Self.slotSize) }
    do throws(Errno) {
      try channel.receive(into: &slots)
      return true
    } catch .wouldBlock {
      return false
    }
  }

  /// Returns whether a datagram is the kernel's and whole.
  private mutating func accepts(
    _ datagram: Datagram, room: Int, _ progress: inout ExchangeProgress, loss: () -> Void
  ) -> Bool {
    guard datagram.senderPort == 0 else {
      foreignDatagrams += 1
      return false
    }
    guard datagram.count > room else { return true }
    // A truncated datagram is useless; the next attempt has room for it.
    bufferSize = max(bufferSize, datagram.count.alignedToNetlink)
    progress.usesSlots = false
    truncatedDatagrams += 1
    recordLoss(&progress, loss)
    return false
  }

  private mutating func recordLoss(_ progress: inout ExchangeProgress, _ loss: () -> Void) {
    isLossy = true
    progress.hasLosses = true
    loss()
  }

  private mutating func nextSequence(_ count: Int) -> UInt32 {
    // Notifications have sequence zero.
    if sequence > .max - UInt32(count) - 1 { sequence = 0 }
    defer { sequence += UInt32(count) }
    return sequence + 1
  }
}

/// The progress of an exchange.
private struct ExchangeProgress {
  /// The number of the first request in this attempt; the others follow.
  private(set) var first: UInt32 = 0
  /// The requests without an answer, one bit for each.
  private(set) var open: UInt64
  /// Whether answers are received into slots.
  var usesSlots: Bool
  /// The number of datagrams since the last that belongs to an answer.
  var ignored = 0
  /// Whether messages were lost in this attempt.
  var hasLosses = false
  /// Whether this attempt has come to an end without success.
  private(set) var isOutdated = false
  var wasOverrun = false
  /// The number of undecodable messages.
  private(set) var unreadable = 0
  /// Why a datagram could not be divided into messages; one of those missed may have been an answer.
  private(set) var damage: DecodingError?

  init(_ count: Int, usesSlots: Bool) {
    open = .max >> (64 - count)
    self.usesSlots = usesSlots
  }

  /// Begins an attempt.
  mutating func begin(_ first: UInt32) {
    (self.first, ignored, hasLosses, isOutdated, wasOverrun) = (first, 0, false, false, false)
  }

  func isOpen(_ index: Int) -> Bool { open & 1 &<< UInt64(index) != 0 }

  /// Hands the messages of a datagram over; returns `false` if the datagram can't be divided into messages.
  mutating func read(
    _ datagram: Datagram, at start: Int, of bytes: RawSpan, port: UInt32,
    announcement: (RawSpan, Message) throws(DecodingError) -> Void, loss: () -> Void,
    reply: (Int, RawSpan, Message) throws(DecodingError) -> Conversation.Reply
  ) throws(DecodingError) -> Bool {
    var messages = MessageReader(in: start..<start + datagram.count)
    while true {
      let message: Message
      do throws(DecodingError) {
        guard let next = try messages.next(bytes) else { return true }
        message = next
      } catch {
        unreadable += 1
        damage = damage ?? error
        loss()
        return false
      }
      // An announcement carries the port and the sequence of the process that made the change. In another network
      // namespace that port may equal this one.
      guard !datagram.isAnnouncement, message.header.port == port else {
        do throws(DecodingError) {
          try announcement(bytes, message)
        } catch {
          unreadable += 1
          loss()
        }
        continue
      }
      // Answers with other numbers belong to abandoned requests.
      let index = message.header.sequence &- first
      guard index < 64, isOpen(Int(index)) else { continue }
      switch try reply(Int(index), bytes, message) {
      case .unrelated: continue
      case .part: break
      case .end where hasLosses, .outdated:
        isOutdated = true
        return true
      case .answer, .end:
        open &= ~(1 &<< UInt64(index))
        if open == 0 { return true }
      }
      ignored = 0
    }
  }
}

/// The progress of a dump, the kernel's answer to a request for a whole table.
struct DumpProgress {
  var isDone = false
  var isInterrupted = false
  var error: Errno?
  var text: String?

  mutating func record(_ message: Message, of bytes: RawSpan) throws(DecodingError) {
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
