#if os(Linux)
import Netlink

/// What a machine is told about the resolution of names, as far as a path shows it, or why a look-up failed.
///
/// The source is `resolv.conf(5)`.
struct ResolverConfiguration: Hashable, Sendable {
  /// The name servers in the order in which they are asked.
  private(set) var nameServers: [NetworkPath.NameServer] = []
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
    for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
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
    let word = word.prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: ";") }
    guard nameServers.count < Self.serverLimit,
      let server = NetworkPath.NameServer(String(decoding: word, as: UTF8.self))
    else { return }
    nameServers.append(server)
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
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}

extension NetworkPath.NameServer {
  /// Reads an address, which may have a zone; `nil` if it is none.
  fileprivate init?(_ text: String) {
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(parts[0]) else { return nil }
    guard parts.count == 2 else {
      self.init(address)
      return
    }
    guard address.needsZone, let zone = Target.Interface(String(parts[1])) else { return nil }
    self.init(address, zone: zone)
  }
}
#endif
