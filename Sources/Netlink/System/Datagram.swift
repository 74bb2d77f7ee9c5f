#if os(Linux)
/// The length and the sender of a received datagram.
package struct Datagram: Equatable, Sendable {
  /// The whole length in bytes, even if the buffer was shorter.
  package var count: Int
  /// The sender's netlink port; the kernel's is 0.
  package var senderPort: UInt32
  /// Whether the datagram went to a multicast group, one of the first 32; the kernel's field is `nl_groups`.
  package var isAnnouncement: Bool

  package init(count: Int, senderPort: UInt32, isAnnouncement: Bool = false) {
    self.count = count
    self.senderPort = senderPort
    self.isAnnouncement = isAnnouncement
  }
}
#endif
