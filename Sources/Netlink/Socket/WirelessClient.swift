// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
/// A client for the kernel's Wi-Fi subsystem, `nl80211`.
///
/// One owner at a time. It needs no privileges, and sees only the radios of the socket's network namespace.
package struct WirelessClient: ~Copyable, Sendable {
  package private(set) var conversation: Conversation
  /// The family's last known number, which changes when the kernel module is reloaded.
  private var family: MessageType?

  package init(over channel: any Transport) {
    conversation = Conversation(over: channel)
  }

  /// Returns the modes of those links that belong to radios.
  package mutating func interfaceTypes(
    of indexes: [Int32]
  ) throws(NetlinkError) -> [Int32: WirelessInterfaceType] {
    guard !indexes.isEmpty else { return [:] }
    let known = family
    if let known, let types = try queryTypes(known, of: indexes) { return types }
    family = try resolveFamily()
    guard let family, family != known else { return [:] }
    return try queryTypes(family, of: indexes) ?? [:]
  }

  /// Finds the family among all registered families.
  ///
  /// A request by name would make the kernel load its Wi-Fi modules, even on machines without a radio.
  private mutating func resolveFamily() throws(NetlinkError) -> MessageType? {
    var family: MessageType?
    try conversation.dump("list families", type: .familyControl) { encoder in
      GenericHeader(.getFamily, version: 1).encode(into: &encoder)
    } restart: {
      family = nil
    } each: { bytes, message throws(DecodingError) in
      guard message.header.type == .familyControl else { return }
      let listed = try FamilyMessage(decoding: bytes, in: message.payload)
      if listed.name == "nl80211" { family = listed.id.map(MessageType.init) }
    }
    return family
  }

  /// Queries the modes of links; returns `nil` if the number no longer belongs to a family.
  private mutating func queryTypes(
    _ family: MessageType, of indexes: [Int32]
  ) throws(NetlinkError) -> [Int32: WirelessInterfaceType]? {
    var types: [Int32: WirelessInterfaceType] = [:]
    var isThere = true
    for start in stride(from: 0, to: indexes.count, by: Conversation.batchLimit) where isThere {
      let count = min(indexes.count - start, Conversation.batchLimit)
      try conversation.batch("ask for radios", type: family, count: count) { position, encoder in
        GenericHeader(.getWirelessInterface, version: 0).encode(into: &encoder)
        encoder.attribute(WirelessAttribute.index, integer: indexes[start + position])
      } reply: { position, bytes, answer throws(DecodingError) in
        switch try Answer(answer, of: bytes) {
        case .message(let message):
          let interface = try WirelessInterfaceMessage(decoding: bytes, in: message.payload)
          let index = indexes[start + position]
          if interface.header.command == .newWirelessInterface, interface.index == index {
            types[index] = interface.type
          }
        case .acknowledgement(let acknowledgement):
          // Links without a radio, and missing links, give another error.
          if acknowledgement.error == .notFound { isThere = false }
        }
      }
    }
    return isThere ? types : nil
  }
}
#endif
