// SPDX-License-Identifier: Apache-2.0
/// A TCP segment between the client and a peer, as far as the relay's rules and records depend on it.
struct Segment {
  var slot: Int
  /// The ports of the client and of the peer.
  var ports: (client: UInt16, peer: UInt16)
  var sequence: UInt32
  /// The number of bytes of data.
  var payload: Int
  var isSYN: Bool
  var isFIN: Bool
  var isRST: Bool
  /// The size of the packet.
  var size: Int

  /// The sequence number after the data.
  var end: UInt32 { sequence &+ UInt32(payload) &+ (isSYN ? 1 : 0) &+ (isFIN ? 1 : 0) }
  /// Whether the sender expects an acknowledgement.
  var needsAnswer: Bool { payload > 0 || isSYN || isFIN }
  /// Identifies the connection in its world.
  var flow: UInt64 { UInt64(slot) << 32 | UInt64(ports.client) << 16 | UInt64(ports.peer) }

  /// Returns `nil` for packets that are not part of a scenario.
  ///
  /// - Parameter isUp: Whether the client sent the packet.
  init?(_ packet: [UInt8], length: Int, isUp: Bool) {
    guard length >= 40 else { return nil }
    let isIPv6 = packet[0] >> 4 == 6
    let start: Int
    let address: Int
    if isIPv6 {
      guard length >= 60, packet[6] == 6 else { return nil }
      start = 40
      address = isUp ? 24 : 8
      guard packet[address] == 0xfd else { return nil }
    } else {
      guard packet[9] == 6 else { return nil }
      start = Int(packet[0] & 15) * 4
      address = isUp ? 16 : 12
      guard packet[address] == 10 || packet[address] == 100, length >= start + 20 else { return nil }
    }
    let last = Int(packet[address + (isIPv6 ? 15 : 3)])
    let isOnLink = isIPv6 ? packet[address + 1] == 0x64 : packet[address] == 100
    slot = Peer(isIPv6: isIPv6, isOnLink: isOnLink, number: last & 31).slot
    func word(_ place: Int) -> UInt16 {
      UInt16(packet[start + place]) << 8 | UInt16(packet[start + place + 1])
    }
    ports = isUp ? (word(0), word(2)) : (word(2), word(0))
    sequence = UInt32(word(4)) << 16 | UInt32(word(6))
    let flags = packet[start + 13]
    (isFIN, isSYN, isRST) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
    let header = Int(packet[start + 12] >> 4) * 4
    payload = max(length - start - header, 0)
    size = length
  }
}
