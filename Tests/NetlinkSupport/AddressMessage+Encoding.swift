// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import Netlink

extension AddressMessage {
  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append((address.bitWidth == 32 ? AddressFamily.ipv4 : .ipv6).rawValue)
    encoder.append(UInt8(prefix.length))
    encoder.append(UInt8(truncatingIfNeeded: flags.rawValue))
    encoder.append(UInt8(0))
    encoder.append(index)
    let isOfRemote = !prefix.contains(address)
    encoder.attribute(AddressAttribute.address, address: isOfRemote ? prefix.address : address)
    encoder.attribute(AddressAttribute.local, address: address)
    encoder.attribute(AddressAttribute.flags, integer: flags.rawValue)
  }
}

extension AddressMessage {
  /// An address with the prefix of its network; too long a prefix is a programmer's mistake and traps.
  package init(_ address: ReachabilityAddress, _ length: Int, _ flags: AddressFlags = [], on index: Int32 = 0)
  {
    guard let prefix = IPPrefix(address, length: length) else {
      preconditionFailure("\(address)/\(length) is no prefix")
    }
    self.init(address: address, prefix: prefix, flags: flags, index: index)
  }
}
#endif
