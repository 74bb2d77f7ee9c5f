#if os(Linux)
import Netlink

extension AssignedAddress {
  init?(_ message: AddressMessage) {
    guard let own = message.own,
      // On a point-to-point link, the prefix is that of the remote end.
      let prefix = IPPrefix(message.address ?? own, length: Int(message.prefixLength))
    else { return nil }
    self.init(address: own, prefix: prefix, flags: message.flags.rawValue)
  }
}
#endif
