/// A range of addresses with the same leading bits, for example `10.1.0.0/16`.
public struct IPPrefix: Hashable, Sendable, CustomStringConvertible {
  /// The lowest address of the range.
  public let address: IPAddress
  /// The number of shared leading bits: 0 to 32, or 0 to 128.
  public let length: Int

  /// Creates the range that contains an address; bits beyond the length are cleared.
  ///
  /// Returns `nil` if the length is negative or longer than the address.
  public init?(_ address: IPAddress, length: Int) {
    guard (0...address.bitWidth).contains(length) else { return nil }
    self.length = length
    switch address {
    case .v4(let v4): self.address = .v4(.init(rawValue: v4.rawValue & Self.mask(UInt32.self, length)))
    case .v6(let v6): self.address = .v6(.init(rawValue: v6.rawValue & Self.mask(UInt128.self, length)))
    }
  }

  /// Returns whether an address belongs to the range.
  public func contains(_ other: IPAddress) -> Bool {
    switch (address, other) {
    case (.v4(let own), .v4(let other)): (own.rawValue ^ other.rawValue) & Self.mask(UInt32.self, length) == 0
    case (.v6(let own), .v6(let other)):
      (own.rawValue ^ other.rawValue) & Self.mask(UInt128.self, length) == 0
    default: false
    }
  }

  /// The highest address of the range.
  public var last: IPAddress {
    switch address {
    case .v4(let v4): .v4(.init(rawValue: v4.rawValue | ~Self.mask(UInt32.self, length)))
    case .v6(let v6): .v6(.init(rawValue: v6.rawValue | ~Self.mask(UInt128.self, length)))
    }
  }

  /// The address and the length, for example `10.1.0.0/16`.
  public var description: String { "\(address)/\(length)" }

  private static func mask<Bits: FixedWidthInteger>(_: Bits.Type, _ length: Int) -> Bits {
    length == 0 ? 0 : ~0 << (Bits.bitWidth - length)
  }
}
