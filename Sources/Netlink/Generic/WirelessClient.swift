#if os(Linux)
/// The questions that can be put to the kernel's Wi-Fi part, `nl80211`.
///
/// One owner at a time. It works without privileges, and sees the radios of the socket's network namespace only.
package struct WirelessClient: ~Copyable, Sendable {
  package private(set) var conversation: Conversation
  /// The family's number, once it was there; it changes when the kernel's module is unloaded and loaded again.
  private var family: MessageType?

  package init(over channel: any Transport) {
    conversation = Conversation(over: channel)
  }

  /// Returns what those of the links are for that belong to radios; of all others nothing.
  package mutating func interfaceTypes(
    of indexes: [Int32]
  ) throws(NetlinkError) -> [Int32: WirelessInterfaceType] {
    guard !indexes.isEmpty else { return [:] }
    let known = family
    if let known, let types = try ask(known, about: indexes) { return types }
    family = try resolveFamily()
    guard let family, family != known else { return [:] }
    return try ask(family, about: indexes) ?? [:]
  }

  /// Looks for the family among all that are registered.
  ///
  /// It is not asked for by its name: the kernel would load its modules for that, on machines too that have no
  /// radio and never will.
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

  /// Returns `nil` if no family has this number any more.
  private mutating func ask(
    _ family: MessageType, about indexes: [Int32]
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
          // Of a link that belongs to no radio, and of one that is not there, another error tells.
          if acknowledgement.error == .notFound { isThere = false }
        }
      }
    }
    return isThere ? types : nil
  }
}
#endif
