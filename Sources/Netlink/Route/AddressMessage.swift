#if os(Linux)
import InternetProtocol

/// An address that is assigned to a link.
///
/// The kernel messages are `RTM_NEWADDR` and `RTM_DELADDR`.
package struct AddressMessage: Hashable, Sendable {
  package var family: AddressFamily = .unspecified
  package var prefixLength: UInt8 = 0
  package var flags: AddressFlags = []
  package var scope: UInt8 = 0
  /// The index of the link that has the address.
  package var index: Int32 = 0
  /// The address of the prefix: on a point-to-point link the other end's.
  package var address: IPAddress?
  /// The link's own address; only IPv4 and point-to-point links send it.
  package var local: IPAddress?
  package var broadcast: IPAddress?
  package var label: String?
  package var lifetime: Lifetime?
  package var unknown: [RawAttribute] = []

  /// How long an address may be used, in seconds.
  ///
  /// `UInt32.max` is for ever. The kernel structure is `ifa_cacheinfo`.
  package struct Lifetime: Hashable, Sendable {
    package var preferredSeconds: UInt32
    package var validSeconds: UInt32
    /// When the address was made and last changed, in hundredths of a second since the system started.
    package var created: UInt32
    package var updated: UInt32
  }

  package init() {}

  /// The address that packets from this link bear.
  package var own: IPAddress? { local ?? address }

  //    0        1        2        3        4        5        6        7
  // 0 | family | prefix | flags  | scope  |               index               |
  // 8   attributes …
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    family = AddressFamily(rawValue: try bytes.integer(at: start, before: end))
    prefixLength = try bytes.integer(at: start + 1, before: end)
    flags = AddressFlags(rawValue: UInt32(try bytes.integer(UInt8.self, at: start + 2, before: end)))
    scope = try bytes.integer(at: start + 3, before: end)
    index = try bytes.integer(at: start + 4, before: end)

    var attributes = AttributeReader(in: start + 8..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case AddressAttribute.address: address = try bytes.address(in: attribute.value)
      case AddressAttribute.local: local = try bytes.address(in: attribute.value)
      case AddressAttribute.broadcast: broadcast = try bytes.address(in: attribute.value)
      case AddressAttribute.label: label = try bytes.text(in: attribute.value)
      // The header's eight flags were too few: the attribute repeats and extends them.
      case AddressAttribute.flags: flags = AddressFlags(rawValue: try bytes.integer(in: attribute.value))
      case AddressAttribute.lifetime: lifetime = try Lifetime(decoding: bytes, in: attribute.value)
      default: unknown.append(try RawAttribute(attribute, of: bytes))
      }
    }
  }

  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(family.rawValue)
    encoder.append(prefixLength)
    encoder.append(UInt8(truncatingIfNeeded: flags.rawValue))
    encoder.append(scope)
    encoder.append(index)
    if let address { encoder.attribute(AddressAttribute.address, address: address) }
    if let local { encoder.attribute(AddressAttribute.local, address: local) }
    if let broadcast { encoder.attribute(AddressAttribute.broadcast, address: broadcast) }
    if let label { encoder.attribute(AddressAttribute.label, text: label) }
    encoder.attribute(AddressAttribute.flags, integer: flags.rawValue)
    if let lifetime {
      encoder.attribute(AddressAttribute.lifetime) {
        $0.append(lifetime.preferredSeconds)
        $0.append(lifetime.validSeconds)
        $0.append(lifetime.created)
        $0.append(lifetime.updated)
      }
    }
    encoder.append(unknown)
  }
}

extension AddressMessage.Lifetime {
  //    0        1        2        3        4        5        6        7
  // 0 |             preferred             |               valid               |
  // 8 |              created              |              updated              |
  fileprivate init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    preferredSeconds = try bytes.integer(at: start, before: end)
    validSeconds = try bytes.integer(at: start + 4, before: end)
    created = try bytes.integer(at: start + 8, before: end)
    updated = try bytes.integer(at: start + 12, before: end)
  }
}

/// The flags of an address, `IFA_F_…`.
package struct AddressFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Duplicate address detection found another owner, `IFA_F_DADFAILED`.
  package static let duplicate = AddressFlags(rawValue: 0x08)
  /// No new connections should start from it, `IFA_F_DEPRECATED`.
  package static let deprecated = AddressFlags(rawValue: 0x20)
  /// Duplicate address detection still runs, `IFA_F_TENTATIVE`.
  package static let tentative = AddressFlags(rawValue: 0x40)
}
#endif
