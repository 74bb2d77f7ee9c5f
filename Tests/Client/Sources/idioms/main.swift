// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

func hex(_ number: UInt32?) -> String { number.map { "0x" + String($0, radix: 16) } ?? "none" }

print("default path:", hex(flagsOfDefaultPath()?.rawValue), "loopback:", hex(flagsOfIPv6Loopback()?.rawValue))
print("name on a queue:", waitForFirstCall(of: "listed.test"))

let target = SCNetworkReachabilityCreateWithName(nil, "127.0.0.1")!
print("bridged:", passThroughCoreFoundation())
print("submodule:", hex(flagsBySubmodule("127.0.0.1")?.rawValue))
print("main run loop:", stayOnTheMainRunLoop(target))
print("constants:", namesOfFlags(UInt32.max), namesOfFlags(numberOfFlags(target)))
print("connected:", isConnected([.reachable]), isConnected([.reachable, .connectionRequired]))
print("as Int:", isConnectedAsInt([.reachable]), isConnectedAsInt([]))
print("conditional import:", flagsUnderCondition() == 0x30002)
print("modes:", scheduleInModes(target))
print("run loops:", scheduleOnFoundationsRunLoops(target), LoopThread().isOwn())
print("ran:", runSourceAndTimer().sorted())
for line in describeFailure() { print("failure:", line) }
do { _ = try createOrThrow("") } catch { print("thrown:", (error as? ReachabilityFailure)?.status ?? 0) }
print("equality:", compareTargets())
print("static:", hex(StaticObserver(host: "listed.test")?.first()))
print("global:", hex(StaticObserver(host: "listed.test")?.first(globalCallback)))
print("function:", hex(StaticObserver(host: "listed.test")?.first(byFunction: true)))
MainActor.assumeIsolated {
  guard let observer = MainObserver(host: "listed.test") else { return }
  print("main actor:", observer.start())
  let limit = Date(timeIntervalSinceNow: 20)
  while observer.calls == 0, Date() < limit { _ = RunLoop.main.run(mode: .default, before: limit) }
  observer.stop()
  print("calls:", observer.calls)
}

/// Prints numbers by their names, in the order of the names.
func list(_ numbers: [String: UInt32]) -> String {
  numbers.sorted { $0.key < $1.key }.map { "\($0.key) \(hex($0.value))" }.joined(separator: ", ")
}
print("socket addresses:", list(flagsOfSocketAddresses()))
print("pairs:", flagsOfPairs().map { hex($0) })
print("box:", observeFromABox())
print("retained:", observeWithRetainedInfo())
print("contexts:", replaceContexts())
print("pointers:", observeWithPointers())
for host in ["127.0.0.1", "10.1.0.7"] { print("flags of \(host):", readFlags(of: host)) }
print("links:", linksOfFlags())
print("scoped:", hex(flagsByScopedImports()), "qualified:", readByQualifiedNames().map { $0 == true })
print("casts:", try castTarget(), statusOfEmptyHost() ?? 0)
for line in listenToTheSharedCenter() { print("shared:", line) }
MainActor.assumeIsolated { for line in runConcurrently() { print("concurrent:", line) } }
print("run loop functions:", runWithModes(target))
print("thread:", ReachabilityThread().isCalled())
for line in describeRefusal() { print("refusal:", line) }
for line in watchHost() { print("watcher:", line) }

#if !swift(>=6)
MainActor.assumeIsolated {
  let observer = ConstantObserver(host: "listed.test")
  print("constant of the main actor:", observer.run(), observer.run(ConstantObserver.shared))
}
#endif
