// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

protocol FlagsReading: AnyObject {
  var currentFlags: SCNetworkReachabilityFlags? { get }
}

extension SCNetworkReachability: FlagsReading {
  enum Failure: Error {
    case cannotCreate(status: Int32)
  }

  nonisolated(unsafe) static let internet: SCNetworkReachability? = {
    var address = sockaddr_in()
    address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { SCNetworkReachabilityCreateWithAddress(nil, $0) }
    }
  }()

  class func make(host: String) throws -> SCNetworkReachability {
    guard let target = SCNetworkReachabilityCreateWithName(nil, host.cString(using: .utf8)!) else {
      throw Failure.cannotCreate(status: SCError())
    }
    return target
  }

  var currentFlags: SCNetworkReachabilityFlags? {
    var flags = SCNetworkReachabilityFlags()
    return SCNetworkReachabilityGetFlags(self, &flags) ? flags : nil
  }

  var isReachable: Bool { currentFlags?.contains(.reachable) ?? false }
}

/// A reader of anything that has flags, and a generic function for objects.
struct Reader<Target: FlagsReading> {
  let target: Target
  var number: UInt32? { target.currentFlags?.rawValue }
}

func same<Object: AnyObject>(_ one: Object, _ other: Object) -> Bool {
  ObjectIdentifier(one) == ObjectIdentifier(other)
}

/// The targets in a list of objects of any type, by the type that Core Foundation gives each.
func targets(in objects: [CFTypeRef]) -> [SCNetworkReachability] {
  objects.filter { CFGetTypeID($0) == SCNetworkReachabilityGetTypeID() }.map { $0 as! SCNetworkReachability }
}

func isTarget<Object: AnyObject>(_ object: Object) -> Bool {
  CFGetTypeID(object) == SCNetworkReachabilityGetTypeID()
}

/// A target as an object of any type, and unmanaged.
func castTarget() throws -> [Bool] {
  let target = try SCNetworkReachability.make(host: "127.0.0.1")
  let object: CFTypeRef = target
  let any: Any = target
  let objects: [CFTypeRef] = [target, "text" as CFString]
  let other: CFTypeRef = try SCNetworkReachability.make(host: "127.0.0.1")
  let unmanaged: Unmanaged<SCNetworkReachability> = Unmanaged.passRetained(target)
  let pointer = unmanaged.toOpaque()
  let again = Unmanaged<SCNetworkReachability>.fromOpaque(pointer).takeUnretainedValue()
  let retained = unmanaged.takeRetainedValue()
  return [
    object === target, (object as! SCNetworkReachability) === target, (any as! SCNetworkReachability) == target,
    objects.contains { $0 === target }, targets(in: objects) == [target], isTarget(target), !isTarget(objects[1]),
    CFEqual(object, target), !CFEqual(other, target), !CFEqual(objects[0], objects[1]), CFEqual(objects[1], "text" as CFString),
    CFHash(object) == CFHash(target), CFHash(objects[1]) == CFHash("text" as CFString), again === target, same(retained, target),
    CFGetTypeID(target) == SCNetworkReachabilityGetTypeID(), CFEqual(target, retained), CFHash(target) == CFHash(again),
    (CFCopyDescription(target) as String).contains("SCNetworkReachability"),
    Reader(target: target).number == 0x30002, target.isReachable, SCNetworkReachability.internet?.isReachable == true,
  ]
}

func statusOfEmptyHost() -> Int32? {
  do {
    _ = try SCNetworkReachability.make(host: "")
    return nil
  } catch SCNetworkReachability.Failure.cannotCreate(let status) {
    return status
  } catch {
    return nil
  }
}
