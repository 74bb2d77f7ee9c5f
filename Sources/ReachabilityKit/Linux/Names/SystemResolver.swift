#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system's own way to look names up, so that the answer is the one that a program's connections get.
package enum SystemResolver {
  /// Why the system's resolver has no address.
  package struct Failure: Error, Hashable {
    /// The number, `EAI_…`.
    package var code: CInt

    package init(code: CInt) {
      self.code = code
    }

    package static let noName = Failure(code: EAI_NONAME)
    package static let again = Failure(code: EAI_AGAIN)
    package static let failed = Failure(code: EAI_FAIL)
    // Not all C libraries name these two: EAI_NODATA and EAI_ADDRFAMILY.
    #if canImport(Darwin)
    package static let noData = Failure(code: 7)
    package static let noAddressOfFamily = Failure(code: 1)
    #else
    package static let noData = Failure(code: -5)
    package static let noAddressOfFamily = Failure(code: -9)
    #endif
  }

  /// Looks a name up; blocks for as long as that takes.
  ///
  /// The call is `getaddrinfo`.
  package static func addresses(of name: ReachabilityTarget.HostName) -> Result<[NamedAddress], Failure> {
    var hints = unsafe addrinfo()
    // One entry an address, not one for each kind of socket too (SOCK_STREAM).
    unsafe hints.ai_socktype = 1
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(name.text, nil, &hints, &list)
    guard code == 0 else { return .failure(Failure(code: code)) }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [NamedAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      if let address = unsafe NamedAddress(entry.pointee), !addresses.contains(address) {
        addresses.append(address)
      }
      unsafe next = entry.pointee.ai_next
    }
    return addresses.isEmpty ? .failure(.noData) : .success(addresses)
  }
}

extension NamedAddress {
  /// Reads the address of an entry; `nil` for what is neither IPv4 nor IPv6, or cut short.
  fileprivate init?(_ entry: addrinfo) {
    guard let address = unsafe UnsafeRawPointer(entry.ai_addr) else { return nil }
    switch unsafe (entry.ai_family, Int(entry.ai_addrlen)) {
    case (AF_INET, MemoryLayout<sockaddr_in>.size...):
      let number = unsafe address.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
      self.init(.v4(.init(rawValue: UInt32(bigEndian: number))))
    case (AF_INET6, MemoryLayout<sockaddr_in6>.size...):
      var socketAddress = unsafe address.loadUnaligned(as: sockaddr_in6.self)
      let number = unsafe withUnsafeBytes(of: &socketAddress.sin6_addr) {
        unsafe $0.loadUnaligned(as: UInt128.self)
      }
      let scope = Int(socketAddress.sin6_scope_id)
      self.init(.v6(.init(rawValue: UInt128(bigEndian: number))), zone: scope > 0 ? scope : nil)
    default: return nil
    }
  }
}
