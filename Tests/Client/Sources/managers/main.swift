// SPDX-License-Identifier: Apache-2.0
import AFNetworkReachability
import AppleReachability
import Foundation
import TMReachability

/// Runs a shell command, which changes the network.
func change(_ command: String) throws {
  let process = Process()
  process.executableURL = URL(filePath: "/bin/sh")
  process.arguments = ["-c", "PATH=$PATH:/usr/sbin:/sbin; \(command)"]
  try process.run()
  process.waitUntilExit()
}

/// The events of one manager, in order.
final class Story: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []

  func note(_ line: String) { lock.withLock { lines.append(line) } }

  var count: Int { lock.withLock { lines.count } }

  func printAll() { for line in lock.withLock({ lines }) { print(line) } }
}

let limit = Date(timeIntervalSinceNow: 30)

func runLoop(until condition: () -> Bool) {
  while !condition(), Date() < limit {
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
  }
}

let (af, apple, tm) = (Story(), Story(), Story())

let manager = AFNetworkReachabilityManager.shared()
manager.setReachabilityStatusChange { af.note("AF block: " + AFStringFromNetworkReachabilityStatus($0)) }
let afToken = NotificationCenter.default.addObserver(
  forName: .AFNetworkingReachabilityDidChange, object: manager, queue: nil
) { note in
  let status = note.userInfo?[AFNetworkingReachabilityNotificationStatusItem] as? NSNumber
  af.note("AF notification: \(status?.intValue ?? -2)")
}
manager.startMonitoring()
runLoop { af.count == 2 }

let sample = AppleReachability.Reachability.forInternetConnection()
let appleToken = NotificationCenter.default.addObserver(
  forName: AppleReachability.kReachabilityChangedNotification, object: sample, queue: nil
) { note in
  let reachability = note.object as? AppleReachability.Reachability
  apple.note("Apple: \(reachability?.currentReachabilityStatus().rawValue ?? -1) \(Thread.isMainThread)")
}
print("Apple started:", sample?.startNotifier() ?? false, sample?.currentReachabilityStatus().rawValue ?? -1)

let million = TMReachability.Reachability(hostname: "10.9.0.1")
million?.reachableBlock = { _ in tm.note("TM: reachable") }
million?.unreachableBlock = { _ in tm.note("TM: not reachable") }
print("TM started:", million?.startNotifier() ?? false, million?.currentReachabilityFlags() ?? "none")

try change("ip route del default")
runLoop { af.count == 4 && apple.count == 1 && tm.count == 1 }
try change("ip route add default via 10.1.0.254")
runLoop { af.count == 6 && apple.count == 2 && tm.count == 2 }

manager.stopMonitoring()
sample?.stopNotifier()
million?.stopNotifier()
af.printAll()
apple.printAll()
tm.printAll()
print(
  "texts:", manager.localizedNetworkReachabilityStatusString(), million?.currentReachabilityString() ?? "none"
)
