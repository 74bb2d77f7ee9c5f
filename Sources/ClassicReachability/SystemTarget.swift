// SPDX-License-Identifier: Apache-2.0
#if !os(watchOS)
package import Dispatch
package import Foundation
package import SystemConfiguration

/// A target of the system's reachability functions, shared between threads.
// Safe to share: the functions may be called from any thread.
package struct SystemTarget: @unchecked Sendable {
  package let reference: SCNetworkReachability

  package init(_ reference: SCNetworkReachability) {
    self.reference = reference
  }

  /// Creates a target from a host name or an address in text form; `nil` if the text is empty.
  package init?(name: String) {
    guard let reference = unsafe SCNetworkReachabilityCreateWithName(nil, name) else { return nil }
    self.reference = reference
  }

  /// Creates a target from a socket address; `nil` if it is neither IPv4 nor IPv6.
  package init?(_ address: UnsafePointer<sockaddr>) {
    guard let reference = unsafe SCNetworkReachabilityCreateWithAddress(nil, address) else { return nil }
    self.reference = reference
  }

  /// Creates a target from an IPv4 address in host byte order.
  package init?(ipv4 number: UInt32) {
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

  /// The current flags, or `nil` if the system cannot determine them.
  package var flags: SCNetworkReachabilityFlags? {
    var flags: SCNetworkReachabilityFlags = []
    return unsafe SCNetworkReachabilityGetFlags(reference, &flags) ? flags : nil
  }

  /// Delivers events on a queue, and reads the flags of the time.
  ///
  /// - Returns: Whether the system accepts the queue, the flags, and whether the first event may repeat them. Apple's
  ///   systems make such an event for every target; the module for Linux, when the lookup of a host completes.
  package func readAndSchedule(
    on queue: DispatchQueue
  ) -> (isScheduled: Bool, flags: SCNetworkReachabilityFlags?, mayRepeat: Bool) {
    #if os(Linux)
    // No function tells a host from an address, but the description does.
    if String(describing: reference).contains("{name = ") {
      // A read after scheduling would cancel the event.
      let flags = flags
      return (setQueue(queue), flags, true)
    }
    // A change between a read and the scheduling would be lost.
    return (setQueue(queue), flags, false)
    #else
    return (setQueue(queue), flags, true)
    #endif
  }

  /// Delivers events on a queue; `nil` ends the delivery.
  ///
  /// - Returns: `false` if the system refuses, as it does for a target that is already scheduled.
  @discardableResult
  package func setQueue(_ queue: DispatchQueue?) -> Bool {
    SCNetworkReachabilitySetDispatchQueue(reference, queue)
  }

  /// Sets the handler of the target's events; `nil` removes it.
  @discardableResult
  package func setHandler(_ handler: (@Sendable (SCNetworkReachabilityFlags) -> Void)?) -> Bool {
    guard let handler else { return SCNetworkReachabilitySetCallback(reference, nil, nil) }
    let box = Handler(call: handler)
    var context = unsafe SCNetworkReachabilityContext(
      version: 0, info: Unmanaged.passUnretained(box).toOpaque(),
      retain: { unsafe UnsafeRawPointer(Unmanaged<Handler>.fromOpaque($0).retain().toOpaque()) },
      release: { unsafe Unmanaged<Handler>.fromOpaque($0).release() },
      copyDescription: nil)
    return withExtendedLifetime(box) {
      unsafe SCNetworkReachabilitySetCallback(
        reference,
        { _, flags, info in
          guard let info = unsafe info else { return }
          unsafe Unmanaged<Handler>.fromOpaque(info).takeUnretainedValue().call(flags)
        }, &context)
    }
  }

  /// The object that the system retains instead of a manager, which may be released at any time.
  private final class Handler: Sendable {
    let call: @Sendable (SCNetworkReachabilityFlags) -> Void

    init(call: @escaping @Sendable (SCNetworkReachabilityFlags) -> Void) {
      self.call = call
    }
  }
}

extension SCNetworkReachabilityFlags {
  /// Whether the flags of the link-local network's address show a local network.
  ///
  /// Its nodes are on the link, so the reach is direct. A tunnel, a modem or a dialled link is transient, and has none.
  package var showLocalNetwork: Bool {
    contains([.reachable, .isDirect]) && !contains(.transientConnection)
  }

  /// Whether the system reports cellular links, which macOS does not.
  #if os(macOS)
  package static let reportWWAN = false
  #else
  package static let reportWWAN = true
  #endif

  /// Whether the link is cellular.
  // By its number: Apple's header hides the flag from macOS.
  package var isOverWWAN: Bool { Self.reportWWAN && rawValue & (1 << 18) != 0 }

  /// Returns a pattern of flag letters, such as `WR tcCiDld`, with `-` for each flag that is not set.
  package func text(_ pattern: String) -> String {
    let flags: [Character: SCNetworkReachabilityFlags] = [
      "R": .reachable, "t": .transientConnection, "c": .connectionRequired, "C": .connectionOnTraffic,
      "i": .interventionRequired, "D": .connectionOnDemand, "l": .isLocalAddress, "d": .isDirect, " ": [],
    ]
    return String(
      pattern.map { letter in
        let isSet = letter == "W" ? isOverWWAN : flags[letter].map(contains) == true
        return isSet ? letter : "-"
      })
  }
}
#endif
