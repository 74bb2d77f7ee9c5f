#if os(Linux)
import Netlink

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The settings of the system's resolver, as far as they tell why a look-up failed.
///
/// The file is `resolv.conf(5)`.
struct ResolverConfiguration: Hashable {
  /// A name server's address, with the interface of a link-local one.
  struct NameServer: Hashable {
    var address: IPAddress
    var zone: Target.Interface?
  }

  /// The name servers that are asked: the first three that are listed.
  var nameServers: [NameServer] = []
  /// How long one name server is given for an answer.
  var timeout: Duration = .seconds(5)

  /// What the system's resolver reads: name servers, names of its own, and where to look for names.
  static let files = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"]

  /// How much of the file is read at most.
  private static var sizeLimit: Int { 65536 }
  /// `MAXNS`.
  private static var nameServerLimit: Int { 3 }

  /// What is configured now; a file that is not there configures nothing.
  static var current: ResolverConfiguration {
    ResolverConfiguration(String(decoding: contents(of: files[0]), as: UTF8.self))
  }

  /// Reads a file's text; lines that say something else, or nothing that can be, are passed over.
  init(_ text: String) {
    // A keyword counts at the beginning of its line only.
    for line in text.split(whereSeparator: \.isNewline) where line.first != " " && line.first != "\t" {
      let words = line.split { $0 == " " || $0 == "\t" }
      guard words.count >= 2 else { continue }
      switch words[0] {
      case "nameserver":
        if let server = NameServer(words[1]), nameServers.count < Self.nameServerLimit {
          nameServers.append(server)
        }
      case "options":
        for word in words.dropFirst() where word.hasPrefix("timeout:") {
          if let seconds = Int64(word.dropFirst("timeout:".count)), (1...30).contains(seconds) {
            timeout = .seconds(seconds)
          }
        }
      default: continue
      }
    }
  }

  private static func contents(of path: String) -> [UInt8] {
    guard let file = try? FileDescriptor(owning: unsafe open(path, O_RDONLY | O_CLOEXEC)) else { return [] }
    var bytes = [UInt8](repeating: 0, count: sizeLimit)
    var count = 0
    while count < bytes.count {
      let more = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(file.rawValue, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      guard more > 0 else { break }
      count += more
    }
    return Array(bytes.prefix(count))
  }
}

extension ResolverConfiguration.NameServer {
  /// Reads an address, with its zone if there is one.
  fileprivate init?(_ text: Substring) {
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(parts[0]) else { return nil }
    self.address = address
    if parts.count == 2 {
      guard let zone = Target.Interface(parts[1]) else { return nil }
      self.zone = zone
    }
  }
}
#endif
