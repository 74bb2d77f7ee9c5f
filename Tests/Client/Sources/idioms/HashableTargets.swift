// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// A registry of targets, keyed by themselves.
final class Registry {
  private var names: [SCNetworkReachability: String] = [:]
  private var watched: Set<SCNetworkReachability> = []

  func add(_ target: SCNetworkReachability, _ name: String) {
    names[target] = name
    watched.insert(target)
  }

  func name(of target: SCNetworkReachability) -> String? { names[target] }

  func remove(_ target: SCNetworkReachability) -> Bool {
    names[target] = nil
    return watched.remove(target) != nil
  }

  var count: Int { watched.count }
}

/// A value with a target in it, which compiles as `Hashable` because the target is.
struct Entry: Hashable {
  var target: SCNetworkReachability
  var host: String
}

func compareTargets() -> [Bool] {
  let one = SCNetworkReachabilityCreateWithName(nil, "127.0.0.1")!
  let other = SCNetworkReachabilityCreateWithName(nil, "127.0.0.1")!
  let registry = Registry()
  registry.add(one, "one")
  registry.add(other, "other")
  registry.add(one, "one again")
  return [
    one == one, one != other, registry.count == 2, registry.name(of: one) == "one again",
    registry.remove(other), registry.name(of: other) == nil, [other, one].firstIndex(of: one) == 1,
    Entry(target: one, host: "a") == Entry(target: one, host: "a"), CFEqual(one, one),
    one.hashValue == one.hashValue,
  ]
}
