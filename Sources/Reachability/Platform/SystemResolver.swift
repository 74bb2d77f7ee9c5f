#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system's own way to look names up, so that the answer is the one that a program's connections get.
enum SystemResolver {
  /// Why the system's resolver has no address.
  struct Failure: Error, Hashable {
    /// The number, `EAI_…`.
    var code: CInt

    static let noName = Failure(code: EAI_NONAME)
    static let again = Failure(code: EAI_AGAIN)
    static let failed = Failure(code: EAI_FAIL)
    // Not all C libraries name these two: EAI_NODATA and EAI_ADDRFAMILY.
    static let noData = Failure(code: -5)
    static let noAddressOfFamily = Failure(code: -9)
  }

  /// Looks a name up; blocks for as long as that takes.
  ///
  /// The call is `getaddrinfo`.
  static func addresses(of name: HostName) -> Result<[NamedAddress], Failure> {
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

extension SystemResolver.Failure {
  /// Says why, as far as that can be told from outside.
  ///
  /// The resolver has one word for a name server that is silent, out of reach, not there, or in trouble. How long it
  /// took, and whether packets for a name server leave this machine, tell these apart.
  func reason(
    after elapsed: Duration, _ configuration: @autoclosure () -> ResolverConfiguration,
    isReachable: (IPAddress, Target.Interface?) -> Bool
  ) -> Reason {
    switch self {
    case .noName: return .nameNotFound
    case .noData, .noAddressOfFamily: return .noAddressRecords
    case .again, .failed: break
    default: return .systemError
    }
    let configuration = configuration()
    guard elapsed < min(configuration.timeout * 0.9, .seconds(2)) else { return .nameResolutionTimedOut }
    guard !configuration.nameServers.isEmpty else { return .nameServerNotConfigured }
    let isAnyReachable = configuration.nameServers.contains { isReachable($0.address, $0.zone) }
    return isAnyReachable ? .nameServerFailed : .nameServerUnreachable
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
#endif
