// SPDX-License-Identifier: Apache-2.0
import Netlink
import POSIX

/// A client of nf_tables that owns one table, and reads the rules of others.
///
/// One owner at a time. The table vanishes with the client, or with its process.
package struct FilterClient: ~Copyable {
  private let channel: any Transport
  private var conversation: Conversation

  package init(over channel: any Transport) {
    self.channel = channel
    conversation = Conversation(over: channel)
  }

  /// Makes a table in one transaction, so that either all of it is there or nothing.
  ///
  /// - Throws: ``NetlinkError`` with code `refused` and the kernel's text if the kernel refuses any part.
  package func make(_ table: TraceTable) throws(NetlinkError) {
    let attempt = "make a table for tracing"
    var encoder = MessageEncoder()
    table.encode(into: &encoder)
    var buffer = [UInt8](repeating: 0, count: 8192)
    func perform(_ body: () throws(Errno) -> Void) throws(NetlinkError) {
      do throws(Errno) {
        try body()
      } catch {
        throw NetlinkError(error == .wouldBlock ? .timedOut : .system, attempt: attempt, errno: error)
      }
    }
    try perform { () throws(Errno) in
      try encoder.withSpan { bytes throws(Errno) in try channel.send(bytes) }
    }
    var missing = TraceTable.acknowledgements
    while missing > 0 {
      var datagram = Datagram(count: 0, senderPort: 0)
      try perform { () throws(Errno) in datagram = try channel.receive(into: &buffer, blocking: true) }
      guard datagram.senderPort == 0 else { continue }
      let refusal: Acknowledgement?
      do throws(DecodingError) {
        (missing, refusal) = try Self.count(
          RawSpan(_elements: buffer.span), length: datagram.count, missing: missing)
      } catch {
        throw NetlinkError(.malformed, attempt: attempt, detail: error.description)
      }
      if let refusal {
        throw NetlinkError(.refused, attempt: attempt, errno: refusal.error, detail: refusal.text)
      }
    }
  }

  /// Returns the rule of a decision, or `nil` if it is gone.
  package mutating func rule(of decision: DecisionLog.Decision) throws(NetlinkError) -> FilterRule? {
    guard let handle = decision.rule else { return nil }
    return try conversation.request("read a rule", type: .getFilterRule) { encoder in
      FilterHeader(decision.family).encode(into: &encoder)
      encoder.attribute(RuleAttribute.table, bytes: decision.table + [0])
      encoder.attribute(RuleAttribute.chain, bytes: decision.chain + [0])
      encoder.attribute(RuleAttribute.handle, integer: handle.bigEndian)
    } reply: { bytes, answer throws(DecodingError) in
      guard case .message(let message) = answer else { return .some(nil) }
      guard message.header.type == .newFilterRule else { return nil }
      return .some(try FilterRule(decoding: bytes, in: message.payload))
    }
  }

  /// Returns the chain of a decision that a hook calls, or `nil` if it is gone.
  package mutating func firstChain(of decision: DecisionLog.Decision) throws(NetlinkError) -> FilterChain? {
    try conversation.request("read a chain", type: .getChain) { encoder in
      FilterHeader(decision.family).encode(into: &encoder)
      encoder.attribute(ChainAttribute.table, bytes: decision.table + [0])
      encoder.attribute(ChainAttribute.name, bytes: decision.firstChain + [0])
    } reply: { bytes, answer throws(DecodingError) in
      guard case .message(let message) = answer else { return .some(nil) }
      guard message.header.type == .newChain else { return nil }
      return .some(try FilterChain(decoding: bytes, in: message.payload))
    }
  }

  /// Counts the acknowledgements of a datagram; returns how many are still missing, and a refusal.
  private static func count(
    _ bytes: RawSpan, length: Int, missing: Int
  ) throws(DecodingError) -> (missing: Int, refusal: Acknowledgement?) {
    var missing = missing
    var messages = MessageReader(in: 0..<min(length, bytes.byteCount))
    while let message = try messages.next(bytes) {
      guard case .acknowledgement(let acknowledgement) = try Answer(message, of: bytes) else { continue }
      if acknowledgement.error != nil { return (missing, acknowledgement) }
      missing -= 1
    }
    return (missing, nil)
  }
}

/// The decisions that the kernel announces about packets that are traced.
package struct TraceSubscription: ~Copyable {
  private let channel: any Transport
  private var buffer = [UInt8](repeating: 0, count: 4096)
  /// Whether traces were lost, because more arrived than the socket holds.
  package private(set) var hasLosses = false

  /// - Parameter channel: A socket that has joined ``MulticastGroup/traces``, which requires `CAP_NET_ADMIN`.
  package init(over channel: any Transport) {
    self.channel = channel
  }

  package var pollDescriptor: CInt { channel.pollDescriptor }

  /// The number of traces that one call hands over: others may cause so many that there is no end.
  private static var limit: Int { 4096 }

  /// Hands over the traces that have arrived, without blocking.
  package mutating func receive(_ body: (TraceMessage) -> Void) throws(Errno) {
    for _ in 0..<Self.limit {
      let count: Int
      do throws(Errno) {
        let datagram = try channel.receive(into: &buffer, blocking: false)
        guard datagram.senderPort == 0 else { continue }
        count = datagram.count
      } catch .noBufferSpace {
        hasLosses = true
        continue
      } catch .wouldBlock {
        return
      }
      do throws(DecodingError) {
        guard count <= buffer.count else { throw DecodingError(.truncated, at: buffer.count) }
        let bytes = RawSpan(_elements: buffer.span)
        var messages = MessageReader(in: 0..<count)
        while let message = try messages.next(bytes) {
          guard message.header.type == .trace else { continue }
          body(try TraceMessage(decoding: bytes, in: message.payload))
        }
      } catch {
        hasLosses = true
      }
    }
  }
}
