#if os(Linux)
import POSIX

extension SocketOption {
  /// An option at level `SOL_NETLINK`, which not every C library declares.
  private init(netlink name: CInt) {
    self.init(level: 270, name: name)
  }

  /// `NETLINK_ADD_MEMBERSHIP`.
  package static var addMembership: SocketOption { SocketOption(netlink: 1) }
  /// `NETLINK_DROP_MEMBERSHIP`.
  package static var dropMembership: SocketOption { SocketOption(netlink: 2) }
  /// `NETLINK_CAP_ACK`.
  package static var cappedAcknowledgements: SocketOption { SocketOption(netlink: 10) }
  /// `NETLINK_EXT_ACK`.
  package static var extendedAcknowledgements: SocketOption { SocketOption(netlink: 11) }
}
#endif
