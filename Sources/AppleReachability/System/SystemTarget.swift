#if !os(watchOS)
public import Foundation
import SystemConfiguration

/// Whether the system's flags tell of cellular links: not on a Mac, as in the sample.
#if os(macOS)
let platformHasWWAN = false
#else
let platformHasWWAN = true
#endif

/// A target as the system knows it: every call of the system's functions is here.
// Safe to share: the system's functions may be called from any thread.
struct SystemTarget: @unchecked Sendable {
  private let target: SCNetworkReachability

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

  /// Sets what is called of a change, or takes it away.
  func setHandler(_ handler: ChangeHandler?) -> Bool {
    guard let handler else { return SCNetworkReachabilitySetCallback(target, nil, nil) }
    var context = unsafe SCNetworkReachabilityContext(
      version: 0, info: Unmanaged.passUnretained(handler).toOpaque(),
      retain: { unsafe UnsafeRawPointer(Unmanaged<ChangeHandler>.fromOpaque($0).retain().toOpaque()) },
      release: { unsafe Unmanaged<ChangeHandler>.fromOpaque($0).release() },
      copyDescription: nil)
    return withExtendedLifetime(handler) {
      unsafe SCNetworkReachabilitySetCallback(
        target,
        { _, _, info in
          guard let info = unsafe info else { return }
          unsafe Unmanaged<ChangeHandler>.fromOpaque(info).takeUnretainedValue().call()
        }, &context)
    }
  }

  /// Has changes told on a run loop in its default mode.
  func schedule(on place: SystemRunLoop) -> Bool {
    SCNetworkReachabilityScheduleWithRunLoop(target, place.loop, CFRunLoopMode.defaultMode.rawValue)
  }

  /// Has them not told there any more.
  func unschedule(from place: SystemRunLoop) {
    _ = SCNetworkReachabilityUnscheduleFromRunLoop(target, place.loop, CFRunLoopMode.defaultMode.rawValue)
  }
}

/// What the system holds on to in place of an instance, which may go at any time.
final class ChangeHandler: Sendable {
  let call: @Sendable () -> Void

  init(call: @escaping @Sendable () -> Void) {
    self.call = call
  }
}

/// A thread's run loop.
// Safe to share: sources may be added to a run loop and taken from it on any thread.
struct SystemRunLoop: Equatable, @unchecked Sendable {
  fileprivate let loop: CFRunLoop

  /// The run loop of this thread.
  static var current: SystemRunLoop { SystemRunLoop(loop: CFRunLoopGetCurrent()) }

  static func == (one: SystemRunLoop, other: SystemRunLoop) -> Bool { one.loop === other.loop }
}

extension Reachability {
  /// Makes an instance for an address.
  ///
  /// The address is copied; its port does not matter.
  ///
  /// - Returns: `nil` if the address is neither IPv4 nor IPv6.
  ///
  /// The original is `+reachabilityWithAddress:`, by the name of its argument.
  public convenience init!(hostAddress: UnsafePointer<sockaddr>) {
    guard let target = unsafe SystemTarget(hostAddress) else { return nil }
    self.init(target)
  }

  /// Makes an instance for an address; the same as ``init(hostAddress:)``.
  ///
  /// The original is `+reachabilityWithAddress:`, by the name that Swift gives it.
  public convenience init!(address: UnsafePointer<sockaddr>) {
    unsafe self.init(hostAddress: address)
  }
}
#endif
