#if os(Linux)
import Netlink
import POSIX

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a machine is told about the resolution of names, as far as a path shows it, or why a look-up failed.
///
/// The source is `resolv.conf(5)`.
struct ResolverConfiguration: Hashable, Sendable {
  /// The name servers in the order in which they are asked; the C libraries ask this machine if none is named.
  var nameServers: [ReachabilityPath.NameServer] {
    isConfigured ? named : [ReachabilityPath.NameServer("127.0.0.1")]
  }
  /// Whether any name server is named.
  var isConfigured: Bool { !named.isEmpty }
  private var named: [ReachabilityPath.NameServer] = []
  /// How long one name server is given for an answer.
  private(set) var timeout: Duration = .seconds(5)

  /// What the system's resolver reads: name servers, names of its own, and where to look for names.
  static let files = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"]

  /// How many name servers the C libraries heed, `MAXNS`.
  private static let serverLimit = 3
  /// How much of a file is read; whoever writes more than this means no good.
  private static let sizeLimit = 1 << 16

  /// Reads a configuration; lines that say something else, or nothing that makes sense, are passed over.
  init(_ bytes: some Collection<UInt8>) {
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      // The C libraries know a keyword only at the beginning of a line.
      guard let first = line.first, !Self.isBlank(first) else { continue }
      let words = line.split(whereSeparator: Self.isBlank)
      if words[0].elementsEqual("nameserver".utf8), words.count >= 2 {
        addNameServer(words[1])
      } else if words[0].elementsEqual("options".utf8) {
        for word in words.dropFirst() { setOption(String(decoding: word, as: UTF8.self)) }
      }
    }
  }

  private mutating func addNameServer(_ word: some Collection<UInt8>) {
    // C text ends at a zero.
    let text = String(decoding: word.prefix { $0 != 0 }, as: UTF8.self)
    guard named.count < Self.serverLimit, let server = ReachabilityPath.NameServer(text) else { return }
    named.append(server)
  }

  private mutating func setOption(_ text: String) {
    let name = "timeout:"
    guard text.hasPrefix(name), let seconds = Int64(text.dropFirst(name.count)), seconds > 0 else { return }
    // RES_MAXRETRANS, which the C libraries cut it to.
    timeout = .seconds(min(seconds, 30))
  }

  /// Reads a configuration file; one that is not there, or can't be read at once, says nothing.
  ///
  /// - Throws: What the system is short of, such as descriptors; then it is not known what the file says.
  init(contentsOf path: String) throws(Errno) {
    var bytes: [UInt8] = []
    do throws(Errno) {
      bytes = try SystemFile.contents(of: path, upTo: Self.sizeLimit)
    } catch {
      if error.isShortage { throw error }
    }
    // A line that is cut off might name another server than it was meant to.
    let isWhole = bytes.count < Self.sizeLimit
    self.init(bytes[..<(isWhole ? bytes.count : bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0)])
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    #if canImport(Musl)
    // What `isspace` says, a carriage return among it.
    byte == UInt8(ascii: " ") || (0x09...0x0d).contains(byte)
    #else
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    #endif
  }
}

extension ReachabilityPath.NameServer {
  /// Reads an address as the C libraries do: IPv4 in any form of `inet_aton`, IPv6 perhaps with a zone, which counts
  /// only where it is needed; `nil` if it is none.
  fileprivate init?(_ text: String) {
    // `inet_aton` passes over what stands behind white space, and the resolver does not.
    var address = in_addr()
    if text.utf8.allSatisfy({ $0 > 0x20 }), unsafe inet_aton(text, &address) != 0 {
      self.init(.v4(IPAddress.V4(rawValue: UInt32(bigEndian: address.s_addr))))
      return
    }
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(parts[0]), address.bitWidth == 128 else { return nil }
    self.init(
      address,
      zone: address.needsZone && parts.count == 2 ? ReachabilityTarget.Interface(String(parts[1])) : nil)
  }
}
#endif
