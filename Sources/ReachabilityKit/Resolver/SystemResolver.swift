// SPDX-License-Identifier: Apache-2.0
import CLibrary

#if canImport(Glibc)
import CPOSIX
#endif

/// The system's resolver, whose answers are those that a program's connections get.
package enum SystemResolver {
  /// The reason why the resolver returned no address.
  package struct Failure: Error, Equatable {
    /// The number, `EAI_…`.
    var code: CInt

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

  #if canImport(Glibc)
  /// Whether this program is static, and therefore looks names up in `/etc/hosts` and by DNS only.
  ///
  /// All other sources of `/etc/nsswitch.conf` are libraries, which load the machine's C library. In a program that
  /// contains another one, they crash.
  private static let avoidsOtherLibraries: Bool = {
    // The kernel found no dynamic linker to load.
    guard getauxval(UInt(AT_BASE)) == 0 else { return false }
    return unsafe cposix_choose_sources("hosts", "files dns") == 0
  }()
  #endif

  /// Looks up a name and blocks until the resolver returns.
  ///
  /// The call is `getaddrinfo`.
  package static func addresses(of name: ReachabilityTarget.HostName) -> Result<[NamedAddress], Failure> {
    #if canImport(Glibc)
    _ = avoidsOtherLibraries
    #endif
    var hints = unsafe addrinfo()
    // One entry per address instead of one per socket type: SOCK_STREAM.
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
  /// Reads the address of an entry; `nil` if it is neither IPv4 nor IPv6, or truncated.
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
