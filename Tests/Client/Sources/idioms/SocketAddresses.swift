// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// Creates a target of each form that code passes a socket address in, and returns the flags of each.
func flagsOfSocketAddresses() -> [String: UInt32] {
  var results: [String: UInt32] = [:]
  func note(_ form: String, _ target: SCNetworkReachability?) {
    var flags = SCNetworkReachabilityFlags()
    if let target = target, SCNetworkReachabilityGetFlags(target, &flags) { results[form] = flags.rawValue }
  }

  var zero = sockaddr()
  zero.sa_len = UInt8(MemoryLayout<sockaddr>.size)
  zero.sa_family = sa_family_t(AF_INET)
  note("sockaddr", SCNetworkReachabilityCreateWithAddress(nil, &zero))

  var zero4 = sockaddr_in()
  zero4.sin_len = UInt8(MemoryLayout.size(ofValue: zero4))
  zero4.sin_family = sa_family_t(AF_INET)
  note("rebound", withUnsafePointer(to: &zero4, {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1, {
      SCNetworkReachabilityCreateWithAddress(kCFAllocatorDefault, $0)
    })
  }))
  note("rebound with a size", withUnsafePointer(to: &zero4) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: MemoryLayout<sockaddr>.size) { pointer in
      return SCNetworkReachabilityCreateWithAddress(kCFAllocatorDefault, pointer)
    }
  })
  note("mutable", withUnsafeMutablePointer(to: &zero4) {
    SCNetworkReachabilityCreateWithAddress(nil, UnsafeMutableRawPointer($0).assumingMemoryBound(to: sockaddr.self))
  })
  note("raw", withUnsafePointer(to: zero4) {
    SCNetworkReachabilityCreateWithAddress(nil, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self))
  })

  var zero6 = sockaddr_in6()
  zero6.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
  zero6.sin6_family = sa_family_t(AF_INET6)
  zero6.sin6_addr = in6addr_any
  let any6: SCNetworkReachability? = withUnsafePointer(to: &zero6) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      zeroRouteReachability in
      SCNetworkReachabilityCreateWithAddress(kCFAllocatorDefault, zeroRouteReachability)
    }
  }
  note("IPv6", any6)

  var loopback = sockaddr_in()
  loopback.sin_family = sa_family_t(AF_INET)
  loopback.sin_port = UInt16(80).bigEndian
  loopback.sin_addr = in_addr(s_addr: INADDR_LOOPBACK.bigEndian)
  note("constant", withUnsafeBytes(of: &loopback) { bytes in
    SCNetworkReachabilityCreateWithAddress(nil, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self))
  })

  // On the heap, and in a storage for either family.
  let neighbour = UnsafeMutablePointer<sockaddr_in>.allocate(capacity: 1)
  defer { neighbour.deallocate() }
  neighbour.initialize(to: sockaddr_in())
  neighbour.pointee.sin_family = sa_family_t(AF_INET)
  neighbour.pointee.sin_addr.s_addr = inet_addr("10.1.0.7")
  note("heap", neighbour.withMemoryRebound(to: sockaddr.self, capacity: 1) { SCNetworkReachabilityCreateWithAddress(nil, $0) })
  var storage = sockaddr_storage()
  memcpy(&storage, neighbour, MemoryLayout<sockaddr_in>.size)
  storage.ss_len = __uint8_t(MemoryLayout<sockaddr_in>.size)
  note("storage", withUnsafeMutablePointer(to: &storage) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { (address: UnsafeMutablePointer<sockaddr>) in
      SCNetworkReachabilityCreateWithAddress(kCFAllocatorDefault, address)
    }
  })

  // As data, the form in which services of the network are resolved.
  let data = NSData(bytes: neighbour, length: MemoryLayout<sockaddr_in>.size)
  note("NSData", SCNetworkReachabilityCreateWithAddress(nil, data.bytes.assumingMemoryBound(to: sockaddr.self)))
  note("Data", (data as Data).withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> SCNetworkReachability? in
    guard let address = bytes.bindMemory(to: sockaddr.self).baseAddress else { return nil }
    return SCNetworkReachabilityCreateWithAddress(nil, address)
  })

  // From the resolver, and from the list of interfaces.
  var list: UnsafeMutablePointer<addrinfo>?
  var hints = addrinfo()
  hints.ai_family = AF_UNSPEC
  hints.ai_flags = AI_NUMERICHOST
  if getaddrinfo("::1", "443", &hints, &list) == 0, let first = list {
    note("getaddrinfo", SCNetworkReachabilityCreateWithAddress(kCFAllocatorDefault, first.pointee.ai_addr))
    freeaddrinfo(list)
  }
  var interfaces: UnsafeMutablePointer<ifaddrs>?
  if getifaddrs(&interfaces) == 0 {
    var next = interfaces
    while let interface = next {
      defer { next = interface.pointee.ifa_next }
      guard let address = interface.pointee.ifa_addr, address.pointee.sa_family == UInt8(AF_INET),
        String(cString: interface.pointee.ifa_name) == "lo"
      else { continue }
      note("getifaddrs", SCNetworkReachabilityCreateWithAddress(nil, address))
    }
    freeifaddrs(interfaces)
  }
  return results
}

/// Creates targets of pairs, with one address or both.
func flagsOfPairs() -> [UInt32?] {
  func address(_ text: String) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_len = UInt8(MemoryLayout<sockaddr_in>.stride)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = CFSwapInt16HostToBig(80)
    inet_aton(text, &address.sin_addr)
    return address
  }
  func flags(_ target: SCNetworkReachability?) -> UInt32? {
    guard let target = target else { return nil }
    var flags: SCNetworkReachabilityFlags = []
    return SCNetworkReachabilityGetFlags(target, &flags) ? flags.rawValue : nil
  }
  var local = address("10.1.0.1")
  var remote = address("10.1.0.7")
  return withUnsafePointer(to: &local) { local in
    withUnsafePointer(to: &remote) { remote in
      local.withMemoryRebound(to: sockaddr.self, capacity: 1) { local in
        remote.withMemoryRebound(to: sockaddr.self, capacity: 1) { remote in
          [
            flags(SCNetworkReachabilityCreateWithAddressPair(kCFAllocatorDefault, local, remote)),
            flags(SCNetworkReachabilityCreateWithAddressPair(nil, local, nil)),
            flags(SCNetworkReachabilityCreateWithAddressPair(nil, nil, remote)),
            flags(SCNetworkReachabilityCreateWithAddressPair(nil, remote, local)),
            flags(SCNetworkReachabilityCreateWithAddressPair(nil, nil, nil)),
          ]
        }
      }
    }
  }
}
