// SPDX-License-Identifier: Apache-2.0
import Foundation
import SystemConfiguration

/// Returns the flags of a host over time, for code with `async` and `await`.
func reachability(of name: String) -> AsyncStream<SCNetworkReachabilityFlags> {
  AsyncStream { continuation in
    guard let target = SCNetworkReachabilityCreateWithName(kCFAllocatorDefault, name) else {
      continuation.finish()
      return
    }
    final class Sink {
      let continuation: AsyncStream<SCNetworkReachabilityFlags>.Continuation

      init(_ continuation: AsyncStream<SCNetworkReachabilityFlags>.Continuation) {
        self.continuation = continuation
      }
    }
    let sink = Sink(continuation)
    var context = SCNetworkReachabilityContext(
      version: 0, info: Unmanaged.passUnretained(sink).toOpaque(),
      retain: { UnsafeRawPointer(Unmanaged<Sink>.fromOpaque($0).retain().toOpaque()) },
      release: { Unmanaged<Sink>.fromOpaque($0).release() },
      copyDescription: { _ in Unmanaged.passRetained("sink" as CFString) })
    SCNetworkReachabilitySetCallback(
      target,
      { _, flags, info in
        guard let info else { return }
        Unmanaged<Sink>.fromOpaque(info).takeUnretainedValue().continuation.yield(flags)
      }, &context)
    SCNetworkReachabilitySetDispatchQueue(target, .global())
    nonisolated(unsafe) let scheduled = target
    continuation.onTermination = { _ in
      SCNetworkReachabilitySetDispatchQueue(scheduled, nil)
      SCNetworkReachabilitySetCallback(scheduled, nil, nil)
    }
    // Scheduling an address causes no call.
    var flags = SCNetworkReachabilityFlags()
    if SCNetworkReachabilityGetFlags(target, &flags) { continuation.yield(flags) }
  }
}

/// A model of an app, on the main actor.
@MainActor
final class Model {
  private(set) var isOnline = false
  private let target: SCNetworkReachability

  init?(address: String) {
    guard let target = SCNetworkReachabilityCreateWithName(nil, address) else { return nil }
    self.target = target
    refresh()
  }

  func refresh() {
    var flags = SCNetworkReachabilityFlags()
    isOnline = SCNetworkReachabilityGetFlags(target, &flags) && flags.contains(.reachable)
  }
}

func change(_ command: String) throws {
  let process = Process()
  process.executableURL = URL(filePath: "/bin/sh")
  process.arguments = ["-c", "PATH=$PATH:/usr/sbin:/sbin; \(command)"]
  try process.run()
  process.waitUntilExit()
}

let model = Model(address: "10.9.0.1")
print("online:", model?.isOnline ?? false)

var count = 0
for await flags in reachability(of: "10.9.0.1") {
  count += 1
  print("flags:", String(flags.rawValue, radix: 16))
  switch count {
  case 1: try change("ip route del default")
  case 2: try change("ip route add default via 10.1.0.254")
  default: break
  }
  if count == 3 { break }
}
model?.refresh()
print("online:", model?.isOnline ?? false)
