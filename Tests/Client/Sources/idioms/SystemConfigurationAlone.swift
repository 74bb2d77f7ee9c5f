// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

// This file imports no other module: Apple's exports the C library, Dispatch and Core Foundation.
import SystemConfiguration

/// Returns the flags of the default path.
func flagsOfDefaultPath() -> SCNetworkReachabilityFlags? {
  var zero = sockaddr_in()
  zero.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
  zero.sin_family = sa_family_t(AF_INET)
  zero.sin_addr = in_addr(s_addr: INADDR_ANY)
  let target = withUnsafePointer(to: &zero) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      SCNetworkReachabilityCreateWithAddress(kCFAllocatorDefault, $0)
    }
  }
  guard let target = target else { return nil }
  var flags = SCNetworkReachabilityFlags()
  return SCNetworkReachabilityGetFlags(target, &flags) ? flags : nil
}

func flagsOfIPv6Loopback() -> SCNetworkReachabilityFlags? {
  var address = sockaddr_in6()
  address.sin6_len = UInt8(MemoryLayout.size(ofValue: address))
  address.sin6_family = sa_family_t(AF_INET6)
  address.sin6_port = in_port_t(443).bigEndian
  inet_pton(AF_INET6, "::1", &address.sin6_addr)
  let target = withUnsafeBytes(of: &address) { bytes in
    SCNetworkReachabilityCreateWithAddress(nil, bytes.bindMemory(to: sockaddr.self).baseAddress!)
  }
  var flags: SCNetworkReachabilityFlags = []
  return target.map { SCNetworkReachabilityGetFlags($0, &flags) } == true ? flags : nil
}

/// Waits on a queue for the first call of a name.
func waitForFirstCall(of name: String) -> Bool {
  guard let target = SCNetworkReachabilityCreateWithName(nil, name) else { return false }
  let called = DispatchSemaphore(value: 0)
  var context = SCNetworkReachabilityContext(
    version: 0, info: Unmanaged.passUnretained(called).toOpaque(), retain: nil, release: nil,
    copyDescription: nil)
  SCNetworkReachabilitySetCallback(
    target,
    { _, _, info in
      if let info = info { Unmanaged<DispatchSemaphore>.fromOpaque(info).takeUnretainedValue().signal() }
    }, &context)
  SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue.global(qos: .utility))
  let result = called.wait(timeout: .now() + .seconds(20))
  SCNetworkReachabilitySetDispatchQueue(target, nil)
  SCNetworkReachabilitySetCallback(target, nil, nil)
  DispatchQueue(label: "end").sync {}
  return result == .success
}

func stayOnTheMainRunLoop(_ target: SCNetworkReachability) -> Bool {
  let mode = CFRunLoopMode.defaultMode.rawValue
  return SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), mode)
    && SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), mode)
}

/// A class of Objective-C's world, which travels through a context.
final class Owner: NSObject {
  let name = "owner"
}

func passThroughCoreFoundation() -> Bool {
  let owner = Owner()
  let object = CFBridgingRetain(owner)
  return (CFBridgingRelease(object) as? Owner)?.name == "owner" && object === owner
}
