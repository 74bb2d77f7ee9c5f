// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// Runs a shell command, which changes the network.
func change(_ command: String) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/sh")
  process.arguments = ["-c", "PATH=$PATH:/usr/sbin:/sbin; \(command)"]
  try! process.run()
  process.waitUntilExit()
}

func isConnectedToNetwork() -> Bool {
  var address = sockaddr_in(
    sin_len: 0, sin_family: 0, sin_port: 0, sin_addr: in_addr(s_addr: INADDR_ANY),
    sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
  address.sin_len = UInt8(MemoryLayout.size(ofValue: address))
  address.sin_family = sa_family_t(AF_INET)
  let target = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { SCNetworkReachabilityCreateWithAddress(nil, $0) }
  }
  var flags = SCNetworkReachabilityFlags(rawValue: 0)
  if SCNetworkReachabilityGetFlags(target!, &flags) == false { return false }
  return flags.contains(.reachable) && !flags.contains(.connectionRequired)
}

let limit = Date(timeIntervalSinceNow: 30)

func runLoop(until condition: () -> Bool) {
  while !condition(), Date() < limit {
    _ = RunLoop.current.run(mode: .default, before: limit)
  }
}

func isOnLocalNetwork() -> Bool {
  var address = sockaddr()
  address.sa_len = UInt8(MemoryLayout<sockaddr_in>.size)
  address.sa_family = sa_family_t(AF_INET)
  withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
      $0.pointee.sin_addr.s_addr = CFSwapInt32HostToBig(IN_LINKLOCALNETNUM)
    }
  }
  guard let target = SCNetworkReachabilityCreateWithAddress(nil, &address) else { return false }
  var flags = SCNetworkReachabilityFlags.connectionAutomatic
  return SCNetworkReachabilityGetFlags(target, &flags) && flags.isSuperset(of: [.reachable, .isDirect])
}

print("connected:", isConnectedToNetwork(), "local network:", isOnLocalNetwork())

// A run loop, and an info that is not retained.
let observer = NetworkObserver()
print("at first:", observer.connection?.rawValue ?? "unknown")
observer.onChange = { print("changed to:", $0.rawValue, Thread.isMainThread) }
print("started:", observer.start())
change("ip route del default")
runLoop { observer.changes == 1 }
change("ip route add default via 10.1.0.254")
runLoop { observer.changes == 2 }
observer.stop()

// The loopback address, as a pair without a local one.
print("loopback:", NetworkObserver(ipv6Loopback: ())?.connection?.rawValue ?? "none")

// A name, on a queue, with an info that is retained and released.
final class Info {
  let text: String
  init(_ text: String) { self.text = text }
  deinit {
    print("released:", text)
    released.signal()
  }
}
let released = DispatchSemaphore(value: 0)

func watchName() -> SCNetworkReachability {
  let target = SCNetworkReachabilityCreateWithName(nil, "listed.test")!
  var context = SCNetworkReachabilityContext()
  let info = Unmanaged.passRetained(Info("info"))
  context.info = info.toOpaque()
  context.retain = { pointer in UnsafeRawPointer(Unmanaged<Info>.fromOpaque(pointer).retain().toOpaque()) }
  context.release = { pointer in Unmanaged<Info>.fromOpaque(pointer).release() }
  context.copyDescription = { pointer in
    let text = Unmanaged<Info>.fromOpaque(pointer).takeUnretainedValue().text
    return Unmanaged.passRetained(text as CFString)
  }
  SCNetworkReachabilitySetCallback(
    target,
    { target, flags, info in
      let text = info.map { Unmanaged<Info>.fromOpaque($0).takeUnretainedValue().text } ?? "none"
      print("name:", flags.letters, text)
      SCNetworkReachabilitySetDispatchQueue(target, nil)
      SCNetworkReachabilitySetCallback(target, nil, nil)
      DispatchQueue.main.async { CFRunLoopStop(CFRunLoopGetMain()) }
    }, &context)
  info.release()
  SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "names"))
  return target
}

var named: SCNetworkReachability? = watchName()
CFRunLoopRun()
named = nil
// The call that ends the run loop still runs, with the info.
_ = released.wait(timeout: .now() + 20)

// Errors.
if SCNetworkReachabilityCreateWithName(nil, "") == nil {
  let status = SCError()
  print("refused:", status == kSCStatusInvalidArgument, String(cString: SCErrorString(status)))
}
print(
  "type:", CFGetTypeID(SCNetworkReachabilityCreateWithName(nil, "a")!) == SCNetworkReachabilityGetTypeID())
