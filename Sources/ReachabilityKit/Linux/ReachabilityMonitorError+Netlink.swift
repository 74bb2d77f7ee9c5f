#if os(Linux)
import Netlink

extension ReachabilityMonitorError {
  /// The error of a source whose kernel tables can't be read.
  init(_ error: NetlinkError) {
    self.init(
      .systemUnavailable, errorNumber: error.errno?.rawValue,
      description: "the kernel's network tables can't be read: \(error)")
  }
}
#endif
