// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import POSIX

/// A client for the kernel's IPsec policies; each request takes `CAP_NET_ADMIN`.
///
/// One owner at a time. No call causes network traffic.
package struct PolicyClient: ~Copyable, Sendable {
  private var conversation: Conversation

  package init(over channel: any Transport) {
    conversation = Conversation(over: channel)
  }

  /// Returns the number of policies for outgoing packets; the request is `XFRM_MSG_GETSPDINFO`.
  package mutating func outgoingCount() throws(NetlinkError) -> Int {
    let attempt = "count IPsec policies"
    let answer = try conversation.request(attempt, type: .getPolicyCounts) { encoder in
      // Flags, which the answer repeats.
      encoder.appendZeros(4)
    } reply: { bytes, answer throws(DecodingError) -> Result<Int, Acknowledgement>? in
      switch answer {
      case .acknowledgement(let acknowledgement): return .failure(acknowledgement)
      case .message(let message):
        guard message.header.type == .newPolicyCounts else { return nil }
        var attributes = AttributeReader(in: message.payload.lowerBound + 4..<message.payload.upperBound)
        while let attribute = try attributes.next(bytes) {
          guard attribute.type == PolicyAttribute.counts else { continue }
          // The second of the numbers of policies: incoming, outgoing, forwarded.
          let count: UInt32 = try bytes.integer(
            at: attribute.value.lowerBound + 4, before: attribute.value.upperBound)
          return .success(Int(count))
        }
        return .success(0)
      }
    }
    switch answer {
    case .success(let count): return count
    case .failure(let acknowledgement):
      throw NetlinkError(
        .refused, attempt: attempt, errno: acknowledgement.error, detail: acknowledgement.text)
    }
  }

  /// Lists the policies for outgoing packets in the order of their search; the request is `XFRM_MSG_GETPOLICY`.
  package mutating func outgoing() throws(NetlinkError) -> [PolicyMessage] {
    var policies: [PolicyMessage] = []
    try conversation.dump("list IPsec policies", type: .getPolicy) { _ in
    } restart: {
      policies = []
    } each: { bytes, message throws(DecodingError) in
      guard message.header.type == .newPolicy else { return }
      let policy = try PolicyMessage(decoding: bytes, in: message.payload)
      if policy.direction == .outgoing { policies.append(policy) }
    }
    // The list begins with the latest one; of equal priorities, the oldest one is searched first.
    return policies.enumerated().sorted {
      ($0.element.isSub ? 0 : 1, $0.element.priority, $1.offset)
        < ($1.element.isSub ? 0 : 1, $1.element.priority, $0.offset)
    }.map(\.element)
  }
}

extension MulticastGroup {
  /// Changes of IPsec policies, `XFRMNLGRP_POLICY`, on sockets of ``NetlinkProtocol/ipsec``.
  package static let policies = MulticastGroup(rawValue: 4)
}
#endif
