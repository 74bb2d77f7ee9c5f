#if os(Linux)
/// The flags of one call that sends or receives, `MSG_…`.
///
/// These are enumerators in Glibc and macros in Musl, so the values are written here.
package struct TransferFlags: OptionSet, Sendable {
  package let rawValue: CInt

  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// Returns the whole length of a datagram even if the buffer is shorter, `MSG_TRUNC`.
  package static var wholeLength: TransferFlags { TransferFlags(rawValue: 0x20) }
  /// Fails with `EAGAIN` instead of blocking, `MSG_DONTWAIT`.
  package static var dontWait: TransferFlags { TransferFlags(rawValue: 0x40) }
  /// Both of the above.
  ///
  /// A set that is used for each datagram is a constant: an array literal runs generic code of the standard library, which
  /// takes longer than all else around the call.
  package static var wholeLengthWithoutWaiting: TransferFlags { TransferFlags(rawValue: 0x60) }
  /// Receives from the queue of errors, `MSG_ERRQUEUE`.
  package static var errorQueue: TransferFlags { TransferFlags(rawValue: 0x2000) }
  /// Fails with `EPIPE` without the signal `SIGPIPE`, `MSG_NOSIGNAL`.
  package static var noSignal: TransferFlags { TransferFlags(rawValue: 0x4000) }
}
#endif
