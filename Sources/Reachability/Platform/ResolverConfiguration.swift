#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a machine is told about the resolution of names, as far as a path shows it.
///
/// The source is `resolv.conf(5)`.
struct ResolverConfiguration: Hashable, Sendable {
  /// The name servers in the order in which they are asked.
  private(set) var nameServers: [NetworkPath.NameServer] = []

  /// How many name servers the C libraries heed, `MAXNS`.
  private static let serverLimit = 3
  /// How much of a file is read; whoever writes more than this means no good.
  private static let sizeLimit = 1 << 16

  /// Reads a configuration; lines that say nothing of name servers, or nothing that makes sense, are passed over.
  init(_ bytes: some Collection<UInt8>) {
    for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
      guard nameServers.count < Self.serverLimit else { return }
      // The C libraries know a keyword only at the beginning of a line.
      guard let first = line.first, !Self.isBlank(first) else { continue }
      let words = line.split(maxSplits: 2, whereSeparator: Self.isBlank)
      guard words.count >= 2, words[0].elementsEqual("nameserver".utf8) else { continue }
      let end = words[1].firstIndex { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: ";") }
      let text = String(decoding: words[1][..<(end ?? words[1].endIndex)], as: UTF8.self)
      if let server = NetworkPath.NameServer(text) { nameServers.append(server) }
    }
  }

  /// Reads a configuration file; one that is not there, or can't be read at once, says nothing.
  init(contentsOf path: String) {
    self.init(Self.read(path))
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func read(_ path: String) -> [UInt8] {
    // Without waiting: somebody may have put a pipe there.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: sizeLimit)
    var count = 0
    while count < sizeLimit {
      let result = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe readBytes(file, UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      }
      if result < 0, errno == EINTR { continue }
      guard result > 0 else { break }
      count += result
    }
    // A line that is cut off might name another server than it was meant to.
    let isWhole = count < sizeLimit
    let end = isWhole ? count : (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0)
    return Array(bytes[..<end])
  }
}

/// Outside of the type, where `read` is the C library's.
private func readBytes(_ file: CInt, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
  unsafe read(file, bytes.baseAddress, bytes.count)
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
