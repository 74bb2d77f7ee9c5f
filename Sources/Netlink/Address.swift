// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol

/// An address of a link, with the prefix that is directly reachable there.
///
/// The kernel messages are `RTM_NEWADDR` and `RTM_DELADDR`.
package struct AddressMessage: Hashable, Sendable {
  /// The index of the link with this address.
  package var index: Int32
  /// The source address of packets from the link.
  package var address: ReachabilityAddress
  /// The range of neighbours; on a point-to-point link that of the remote end.
  package var prefix: IPPrefix
  package var flags: AddressFlags

  package init(address: ReachabilityAddress, prefix: IPPrefix, flags: AddressFlags = [], index: Int32 = 0) {
    self.address = address
    self.prefix = prefix
    self.flags = flags
    self.index = index
  }

  //    0        1        2        3        4        5        6        7
  // 0 | family | prefix | flags  | scope  |               index               |
  // 8   attributes …
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    let family = AddressFamily(rawValue: try bytes.integer(at: start, before: end))
    let length = try bytes.integer(UInt8.self, at: start + 1, before: end)
    flags = AddressFlags(rawValue: UInt32(try bytes.integer(UInt8.self, at: start + 2, before: end)))
    index = try bytes.integer(at: start + 4, before: end)

    var (own, remote): (ReachabilityAddress?, ReachabilityAddress?)
    var attributes = AttributeReader(in: start + 8..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case AddressAttribute.address: remote = try bytes.address(in: attribute.value)
      case AddressAttribute.local: own = try bytes.address(in: attribute.value)
      // The attribute repeats and extends the header's eight flags.
      case AddressAttribute.flags: flags = AddressFlags(rawValue: try bytes.integer(in: attribute.value))
      default: continue
      }
    }
    // IPv6 addresses without a remote end, and IPv4 addresses, have one of both attributes, or the same in both.
    guard let address = own ?? remote, address.bitWidth == (family == .ipv6 ? 128 : 32),
      let prefix = IPPrefix(remote ?? address, length: Int(length))
    else {
      throw DecodingError(.badValue, at: start + 1)
    }
    self.address = address
    self.prefix = prefix
  }
}

/// The attributes of addresses, `IFA_…`.
package enum AddressAttribute {
  /// `IFA_ADDRESS`.
  package static var address: UInt16 { 1 }
  /// `IFA_LOCAL`.
  package static var local: UInt16 { 2 }
  /// `IFA_FLAGS`.
  package static var flags: UInt16 { 8 }
}

/// The flags of an address, `IFA_F_…`.
package struct AddressFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Not checked for duplicates, `IFA_F_NODAD`.
  package static let unchecked = AddressFlags(rawValue: 0x02)
  /// Usable while duplicate address detection is running, `IFA_F_OPTIMISTIC`.
  package static let optimistic = AddressFlags(rawValue: 0x04)
  /// Duplicate address detection found another owner, `IFA_F_DADFAILED`.
  package static let duplicate = AddressFlags(rawValue: 0x08)
  /// Duplicate address detection is running, `IFA_F_TENTATIVE`.
  package static let tentative = AddressFlags(rawValue: 0x40)
  /// Without a lifetime, `IFA_F_PERMANENT`.
  package static let permanent = AddressFlags(rawValue: 0x80)
}
#endif
