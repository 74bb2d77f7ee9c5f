#if os(Linux)
import POSIX

/// Requests and their answers over one socket.
///
/// One owner at a time: each request is sent and its answers are taken before the next. Only the kernel (port 0)
/// is believed; what others send is counted and dropped.
package struct Conversation: ~Copyable, Sendable {
  let channel: any Transport
  /// How many datagrams came from somebody else than the kernel.
  package internal(set) var foreignDatagrams = 0
  /// How often answers were lost because the buffer was full.
  package internal(set) var overruns = 0
  /// How many messages of lists could not be read, and were passed over.
  package private(set) var unreadableMessages = 0
  private var sequence: UInt32 = 0
  var encoder = MessageEncoder()
  /// Made when something is received first: some conversations never take place.
  var buffer: [UInt8] = []
  private let bufferSize: Int
  /// Room for the answers to many requests, made when it is needed first.
  var slots = DatagramSlots(count: 0, size: Self.slotSize)

  /// How often an interrupted list is asked for anew, and a batch of whose answers none came.
  static var attempts: Int { 3 }
  /// How many datagrams that answer nothing are passed over during one request.
  static var patience: Int { 100_000 }
  /// How long an answer may be that is taken together with others; most are half as long.
  static var slotSize: Int { 512 }
  /// From how many requests on the answers are taken together.
  static var manyRequests: Int { 4 }

  package init(over channel: any Transport, bufferSize: Int = 16384) {
    self.channel = channel
    self.bufferSize = bufferSize
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

  /// Lists a whole table.
  ///
  /// Lists it again, up to three times, when the table changed meanwhile or messages were lost; `restart` is called
  /// before each attempt, so that what was collected can be dropped. An entry that `each` cannot read is skipped and
  /// counted: the others are no worse for it.
  ///
  /// - Returns: Whether the table held still. If it never did, what was collected last may lack entries that were
  ///   there all the time, and hold some that are gone.
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
        // Also when it is of no use any more, the list is taken to its end: before, the kernel begins no other. But
        // the end may be what was lost.
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
          guard ignored < Self.patience else { throw NetlinkError(.overrun, attempt: attempt()) }
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
          // Where the next message begins is not known, and one of those that are missed may be the end.
          unreadable += 1
          failure = failure ?? error
        }
        unreadableMessages += unreadable
        if progress.messages > before { ignored = 0 }
        guard ignored < Self.patience else { throw NetlinkError(.timedOut, attempt: attempt()) }
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

  /// How many requests one batch may hold: the answers must fit into the smallest usual receive buffer.
  package static var batchLimit: Int { 64 }

  func send(_ attempt: () -> String) throws(NetlinkError) {
    do throws(Errno) {
      try encoder.withSpan { bytes throws(Errno) in try channel.send(bytes) }
    } catch {
      throw NetlinkError(.system, attempt: attempt(), errno: error)
    }
  }

  /// What a receive came to.
  enum Received: Equatable {
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
  mutating func receive(
    _ attempt: () -> String, blocking: Bool = true
  ) throws(NetlinkError) -> Received {
    if buffer.isEmpty { buffer = Array(repeating: 0, count: bufferSize) }
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
    // Zero marks notifications.
    if sequence > .max - UInt32(count) - 1 { sequence = 0 }
    defer { sequence += UInt32(count) }
    return sequence + 1
  }
}
#endif
