// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import Netlink

extension SocketMessage {
  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(family.rawValue)
    encoder.append(state.rawValue)
    encoder.append(timer.rawValue)
    encoder.append(expirations)
    encoder.append(localPort.bigEndian)
    encoder.append(remotePort.bigEndian)
    for address in [local, remote] {
      for octet in address.octets { encoder.append(octet) }
      encoder.appendZeros(16 - address.octets.count)
    }
    encoder.append(boundInterface)
    encoder.append(cookie)
    encoder.append(expiry)
    encoder.append(unreadBytes)
    encoder.append(unacknowledgedBytes)
    encoder.append(user)
    encoder.append(inode)
    // The kernel's order.
    defer { if let mark { encoder.attribute(SocketAttribute.mark, integer: mark) } }
    guard let metrics else { return }
    var value = MessageEncoder()
    metrics.encode(into: &value)
    encoder.attribute(SocketAttribute.metrics, bytes: value.bytes)
  }
}

extension TCPMetrics {
  /// Appends the structure, with zeros for what the product does not use.
  fileprivate func encode(into encoder: inout MessageEncoder) {
    encoder.appendZeros(2)
    for byte in [timeouts, probes, backoff] { encoder.append(byte) }
    encoder.appendZeros(3)
    encoder.append(timeout)
    encoder.appendZeros(4)
    encoder.append(segmentSize)
    encoder.appendZeros(4)
    encoder.append(unacknowledged)
    encoder.append(selectivelyAcknowledged)
    encoder.appendZeros(4)
    encoder.append(retransmitted)
    encoder.appendZeros(12)
    encoder.append(sinceData)
    encoder.append(sinceAcknowledgement)
    encoder.append(pathMTU)
    encoder.appendZeros(36)
    encoder.append(retransmissions)
    encoder.appendZeros(16)
    encoder.append(acknowledgedBytes)
    encoder.appendZeros(16)
    encoder.append(unsentBytes)
    encoder.appendZeros(8)
    encoder.append(sentDataSegments)
    guard let peerWindow else { return }
    encoder.appendZeros(68)
    encoder.append(peerWindow)
  }
}
#endif
