#if !os(watchOS)
import Dispatch
import Foundation
import SystemConfiguration

/// A target as the system knows it: every call of the system's functions is here.
// Safe to share: the system's functions may be called from any thread.
struct SystemTarget: @unchecked Sendable {
  private let target: SCNetworkReachability

  init(_ target: SCNetworkReachability) {
    self.target = target
  }

  /// Makes a target of a host's name, or of an address in text form, which the system takes for what it is.
  init?(name: String) {
    guard let made = unsafe SCNetworkReachabilityCreateWithName(nil, name) else { return nil }
    target = made
  }

  init?(_ address: UnsafePointer<sockaddr>) {
    guard let made = unsafe SCNetworkReachabilityCreateWithAddress(nil, address) else { return nil }
    target = made
  }

  /// Makes a target of an IPv4 address in the machine's order of bytes.
  init?(ipv4 number: UInt32) {
    var address = sockaddr_in()
    address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = number.bigEndian
    let made = unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe Self($0) }
    }
    guard let made else { return nil }
    self = made
  }

  /// The flags now; none if the system can't tell.
  var flags: SCNetworkReachabilityFlags {
    var flags: SCNetworkReachabilityFlags = []
    return unsafe SCNetworkReachabilityGetFlags(target, &flags) ? flags : []
  }

  /// Has events told to a handler on a queue.
  ///
  /// - Returns: `false` if the system refuses, as it does for a target that is scheduled already; whoever did that is
  ///   told as before.
  func start(on queue: DispatchQueue, _ handler: EventHandler) -> Bool {
    // The queue is the claim, so it comes before the callback, which would take another's place. It waits meanwhile,
    // since an event without a callback is lost.
    queue.suspend()
    defer { queue.resume() }
    guard SCNetworkReachabilitySetDispatchQueue(target, queue) else { return false }
    guard setHandler(handler) else {
      _ = SCNetworkReachabilitySetDispatchQueue(target, nil)
      return false
    }
    return true
  }

  /// Has them not told any more.
  func stop() {
    _ = SCNetworkReachabilitySetDispatchQueue(target, nil)
    _ = SCNetworkReachabilitySetCallback(target, nil, nil)
  }

  private func setHandler(_ handler: EventHandler) -> Bool {
    var context = unsafe SCNetworkReachabilityContext(
      version: 0, info: Unmanaged.passUnretained(handler).toOpaque(),
      retain: { unsafe UnsafeRawPointer(Unmanaged<EventHandler>.fromOpaque($0).retain().toOpaque()) },
      release: { unsafe Unmanaged<EventHandler>.fromOpaque($0).release() },
      copyDescription: nil)
    return withExtendedLifetime(handler) {
      unsafe SCNetworkReachabilitySetCallback(
        target,
        { _, flags, info in
          guard let info = unsafe info else { return }
          unsafe Unmanaged<EventHandler>.fromOpaque(info).takeUnretainedValue().call(flags)
        }, &context)
    }
  }
}

/// What the system holds on to in place of an instance, which may go at any time.
final class EventHandler: Sendable {
  let call: @Sendable (SCNetworkReachabilityFlags) -> Void

  init(call: @escaping @Sendable (SCNetworkReachabilityFlags) -> Void) {
    self.call = call
  }
}

extension Reachability {
  /// Makes an instance for an address.
  ///
  /// - Parameter hostAddress: A `sockaddr_in` or `sockaddr_in6`. It is copied; its port does not matter.
  /// - Returns: `nil` if the address is neither IPv4 nor IPv6.
  ///
  /// The original is `+reachabilityWithAddress:`.
  public convenience init!(address hostAddress: UnsafeMutableRawPointer) {
    let address = unsafe UnsafePointer(hostAddress.assumingMemoryBound(to: sockaddr.self))
    guard let target = unsafe SystemTarget(address) else { return nil }
    self.init(target)
  }
}
#endif
