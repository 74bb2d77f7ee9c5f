// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import Netlink
import POSIX

/// The resolver settings that a path reports and that explain a failed lookup.
///
/// The source is `resolv.conf(5)`.
struct ResolverConfiguration: Equatable, Sendable {
  /// The name servers in query order; the C libraries query this machine if none is listed.
  var nameServers: [ReachabilityPath.NameServer] {
    isConfigured ? named : [ReachabilityPath.NameServer("127.0.0.1")]
  }
  /// Whether any name server is listed.
  var isConfigured: Bool { !named.isEmpty }
  private var named: [ReachabilityPath.NameServer] = []
  /// The timeout of one query.
  private(set) var timeout: Duration = .seconds(5)
  /// The lengths of the search domains, of the last line that lists any.
  private var searchDomains: [Int] = []

  /// The files that the system's resolver reads: name servers, local names, and the order of sources.
  static let files = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"]

  /// The number of name servers that the C libraries use, `MAXNS`.
  private static let serverLimit = 3
  /// The number of bytes that are read; a longer file is not a configuration.
  private static let sizeLimit = 1 << 16

  /// Parses a configuration; unknown and malformed lines are skipped.
  init(_ bytes: some Collection<UInt8>) {
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      // The C libraries accept a keyword only at the start of a line.
      guard let first = line.first, !Self.isBlank(first) else { continue }
      // C text ends at a zero.
      let words = line.prefix { $0 != 0 }.split(whereSeparator: Self.isBlank)
      guard let keyword = words.first else { continue }
      if keyword.elementsEqual("nameserver".utf8), words.count >= 2 {
        addNameServer(words[1])
      } else if keyword.elementsEqual("options".utf8) {
        for word in words.dropFirst() { setOption(String(decoding: word, as: UTF8.self)) }
      } else if keyword.elementsEqual("search".utf8), words.count >= 2 {
        searchDomains = words.dropFirst().map(\.count)
      } else if keyword.elementsEqual("domain".utf8), words.count >= 2 {
        searchDomains = [words[1].count]
      }
    }
  }

  private mutating func addNameServer(_ word: some Collection<UInt8>) {
    let text = String(decoding: word, as: UTF8.self)
    guard named.count < Self.serverLimit, let server = ReachabilityPath.NameServer(text) else { return }
    named.append(server)
  }

  private mutating func setOption(_ text: String) {
    let name = "timeout:"
    guard text.hasPrefix(name), let seconds = Int64(text.dropFirst(name.count)), seconds > 0 else { return }
    // The C libraries cap it at RES_MAXRETRANS.
    timeout = .seconds(min(seconds, 30))
  }

  /// Reads a configuration file; one that is missing or unreadable counts as empty.
  ///
  /// - Throws: A shortage, for example of descriptors; the content is unknown then.
  init(contentsOf path: String, upTo limit: Int = sizeLimit) throws(Errno) {
    var bytes: [UInt8] = []
    do throws(Errno) {
      bytes = try SystemFile.contents(of: path, upTo: limit)
    } catch {
      if error.isShortage { throw error }
    }
    // A line that is cut off might name a different server.
    let isWhole = bytes.count < limit
    self.init(bytes[..<(isWhole ? bytes.count : bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0)])
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    #if canImport(Musl)
    // As `isspace`, which includes the carriage return.
    byte == UInt8(ascii: " ") || (0x09...0x0d).contains(byte)
    #else
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    #endif
  }
}

// MARK: - Search domains

extension ResolverConfiguration {
  /// The number of bytes in which a search domain is looked for: the C library reads the file to its end.
  static var searchSizeLimit: Int { 1 << 26 }

  /// The length of the search domain with which the C library ends a process; `nil` if there is none.
  var fatalLength: Int? { Self.fatalLength(of: searchDomains) }

  /// Returns that length for the text of `LOCALDOMAIN`, whose domains replace those of the file.
  static func fatalLength(inVariable text: some Collection<UInt8>) -> Int? {
    let line = text.prefix { $0 != UInt8(ascii: "\n") }
    // Text that begins with a blank has an empty first domain.
    let first = line.prefix { !isBlank($0) }.count
    return fatalLength(of: [first] + line.dropFirst(first).split(whereSeparator: isBlank).map(\.count))
  }

  /// Returns the length of the first domain that does not fit, if few bytes precede it.
  ///
  /// glibc copies at most six domains, each with a zero, into 256 bytes. Then it asserts that all were copied, that six
  /// were, or that the copied ones are longer than its list of pointers (`sizeof(dnsrch)`). musl ignores what does not fit.
  private static func fatalLength(of domains: [Int]) -> Int? {
    #if canImport(Musl)
    return nil
    #else
    // MAXDNSRCH, sizeof(defdname) and sizeof(dnsrch).
    let (limit, capacity, excused) = (6, 256, 7 * MemoryLayout<Int>.size)
    var used = 0
    for length in domains.prefix(limit) {
      guard used + length + 1 <= capacity else { return used > excused ? nil : length }
      used += length + 1
    }
    return nil
    #endif
  }
}

extension ReachabilityPath.NameServer {
  /// Parses an address as the C libraries do; `nil` if it is none.
  ///
  /// IPv4 in any form of `inet_aton`; IPv6 with an optional zone, which counts only where one is needed.
  fileprivate init?(_ text: String) {
    // `inet_aton` ignores text after white space, the resolver does not.
    var address = in_addr()
    if text.utf8.allSatisfy({ $0 > 0x20 }), unsafe inet_aton(text, &address) != 0 {
      self.init(.v4(ReachabilityAddress.V4(rawValue: UInt32(bigEndian: address.s_addr))))
      return
    }
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = ReachabilityAddress(parts[0]), address.bitWidth == 128 else { return nil }
    self.init(
      address,
      zone: address.needsZone && parts.count == 2 ? ReachabilityTarget.Interface(String(parts[1])) : nil)
  }
}

extension SystemResolver.Failure {
  /// Returns the reason that a failure stands for.
  ///
  /// The resolver has one code for a name server that is silent, unreachable, missing or failing. The elapsed time and the
  /// reachability of the name servers distinguish these.
  func reason(
    after elapsed: Duration, _ configuration: @autoclosure () -> ResolverConfiguration,
    isReachable: (ReachabilityAddress, ReachabilityTarget.Interface?) -> Bool
  ) -> ReachabilityStatus.Reason {
    switch self {
    case .noName: return .nameNotFound
    case .noData, .noAddressOfFamily: return .noAddressRecords
    case .again, .failed: break
    default: return .systemError
    }
    let configuration = configuration()
    // Before the time: a server without a carrier is silent too.
    if configuration.isConfigured,
      !configuration.nameServers.contains(where: { isReachable($0.address, $0.zone) })
    {
      return .nameServerUnreachable
    }
    guard elapsed < min(configuration.timeout * 0.9, .seconds(2)) else { return .nameResolutionTimedOut }
    return configuration.isConfigured ? .nameServerFailed : .nameServerNotConfigured
  }
}
#endif
