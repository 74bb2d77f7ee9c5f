#if os(Linux)
import InternetProtocol

/// An address assigned to a link.
///
/// The kernel messages are `RTM_NEWADDR` and `RTM_DELADDR`.
package struct AddressMessage: Hashable, Sendable {
  package var family: AddressFamily = .unspecified
  package var prefixLength: UInt8 = 0
  package var flags: AddressFlags = []
  package var scope: UInt8 = 0
  /// The index of the link with this address.
  package var index: Int32 = 0
  /// The address of the prefix; on a point-to-point link the remote end's.
  package var address: IPAddress?
  /// The link's own address; only IPv4 addresses and point-to-point links have it.
  package var local: IPAddress?
  package var broadcast: IPAddress?
  package var label: String?
  package var lifetime: Lifetime?
  package var unknown: [RawAttribute] = []

  /// The lifetime of an address in seconds, `UInt32.max` if unlimited.
  ///
  /// The kernel structure is `ifa_cacheinfo`.
  package struct Lifetime: Hashable, Sendable {
    package var preferredSeconds: UInt32
    package var validSeconds: UInt32
    /// The times of creation and of the last change, in hundredths of a second since the system started.
    package var created: UInt32
    package var updated: UInt32
  }

  package init() {}

  /// The source address of packets from this link.
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
      // The attribute repeats and extends the header's eight flags.
      case AddressAttribute.flags: flags = AddressFlags(rawValue: try bytes.integer(in: attribute.value))
      case AddressAttribute.lifetime: lifetime = try Lifetime(decoding: bytes, in: attribute.value)
      default: unknown.append(try RawAttribute(attribute, of: bytes))
      }
    }
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

/// The attributes of addresses, `IFA_…`.
package enum AddressAttribute {
  /// `IFA_ADDRESS`.
  package static var address: UInt16 { 1 }
  /// `IFA_LOCAL`.
  package static var local: UInt16 { 2 }
  /// `IFA_LABEL`.
  package static var label: UInt16 { 3 }
  /// `IFA_BROADCAST`.
  package static var broadcast: UInt16 { 4 }
  /// `IFA_CACHEINFO`.
  package static var lifetime: UInt16 { 6 }
  /// `IFA_FLAGS`.
  package static var flags: UInt16 { 8 }
}

/// The flags of an address, `IFA_F_…`.
package struct AddressFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Duplicate address detection found another owner, `IFA_F_DADFAILED`.
  package static let duplicate = AddressFlags(rawValue: 0x08)
  /// Duplicate address detection is running, `IFA_F_TENTATIVE`.
  package static let tentative = AddressFlags(rawValue: 0x40)
}
#endif
