#if !os(watchOS)
import ClassicReachability
public import Foundation

extension Reachability {
  /// Creates an instance for an address.
  ///
  /// The address is copied; its port is ignored.
  ///
  /// - Returns: `nil` if the address is neither IPv4 nor IPv6.
  ///
  /// The original is `+reachabilityWithAddress:`, under the name of its argument.
  public convenience init!(hostAddress: UnsafePointer<sockaddr>) {
    guard let target = unsafe SystemTarget(hostAddress) else { return nil }
    self.init(target)
  }

  /// Creates an instance for an address; the same as ``init(hostAddress:)``.
  ///
  /// The original is `+reachabilityWithAddress:`, under the name that Swift imports.
  public convenience init!(address: UnsafePointer<sockaddr>) {
    unsafe self.init(hostAddress: address)
  }
}
#endif
