// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CommandLineSupport
import POSIX
import ReachabilityKit

/// The machine that the command runs on.
enum Machine {
  /// The host name.
  static var name: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
    return text(bytes)
  }

  /// The random identifier of the time since the machine started; `nil` where the system does not report it.
  static var bootIdentifier: String? {
    #if os(Linux)
    return SystemFile.line(of: "/proc/sys/kernel/random/boot_id", upTo: 64)
    #else
    var bytes = [CChar](repeating: 0, count: 64)
    var count = bytes.count - 1
    guard unsafe sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return nil }
    return text(bytes)
    #endif
  }

  /// A part of the hash of the machine's identifier, which must not be published itself (machine-id(5)); `nil` where the
  /// system has none.
  static var identifierHash: String? {
    #if os(Linux)
    guard let bytes = try? SystemFile.contents(of: "/etc/machine-id", upTo: 64) else { return nil }
    let digits = bytes.prefix { $0 != UInt8(ascii: "\n") }
    // At the first start, a word may stand in its place.
    guard digits.count == 32, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
      return nil
    }
    return hash("reachability record\n".utf8 + digits).prefix(6)
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #else
    return nil
    #endif
  }

  /// The SHA-256 of bytes, after FIPS 180-4; without a library, since only this needs one.
  static func hash(_ message: some Sequence<UInt8>) -> [UInt8] {
    // The first 32 bits of the fractional parts of roots of the first primes.
    let primes = (2...311).filter { number in (2..<number).allSatisfy { number % $0 > 0 } }.map(Double.init)
    func fraction(_ root: Double) -> UInt32 { UInt32((root - root.rounded(.down)) * 0x1p32) }
    let constants = primes.map { fraction(cbrt($0)) }
    var state = primes.prefix(8).map { fraction($0.squareRoot()) }
    func rotated(_ word: UInt32, _ counts: Int...) -> UInt32 {
      counts.reduce(0) { $0 ^ (word >> UInt32($1) | word << UInt32(32 - $1)) }
    }

    var bytes = Array(message)
    let length = UInt64(bytes.count * 8)
    bytes.append(0x80)
    while bytes.count % 64 != 56 { bytes.append(0) }
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
    for start in stride(from: 0, to: bytes.count, by: 64) {
      var words = (0..<16).map { word in
        (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[start + 4 * word + $1]) }
      }
      for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        words.append(
          words[index - 16] &+ words[index - 7] &+ (rotated(early, 7, 18) ^ early >> 3)
            &+ (rotated(late, 17, 19) ^ late >> 10))
      }
      var s = state
      for (word, constant) in zip(words, constants) {
        let choice = s[4] & s[5] ^ ~s[4] & s[6]
        let first = s[7] &+ rotated(s[4], 6, 11, 25) &+ choice &+ constant &+ word
        let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
        let second = rotated(s[0], 2, 13, 22) &+ majority
        s = [first &+ second, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
      }
      state = zip(state, s).map(&+)
    }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
  }

  /// The TCP port of a service; `nil` if /etc/services, or another source of the system, does not name it.
  static func tcpPort(ofService name: String) -> UInt16? {
    #if os(Linux)
    // The C library's function loads modules, which the static command cannot.
    guard let bytes = try? SystemFile.contents(of: "/etc/services", upTo: 1 << 20) else { return nil }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      // For example "domain  53/tcp  nameserver  # a comment": services(5).
      let words = line.prefix { $0 != UInt8(ascii: "#") }
        .split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        .map { String(decoding: $0, as: UTF8.self) }
      guard words.count >= 2, words[1].hasSuffix("/tcp"), words[0] == name || words[2...].contains(name),
        let port = UInt16(digits: words[1].dropLast(4)), port > 0
      else { continue }
      return port
    }
    return nil
    #else
    return unsafe getservbyname(name, "tcp").map {
      unsafe UInt16(truncatingIfNeeded: $0.pointee.s_port).byteSwapped
    }
    #endif
  }

  private static func text(_ bytes: [CChar]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The file descriptors that the process may still open.
enum Descriptors {
  /// The descriptors that Dispatch needs for timers and threads; without them it crashes or never calls back.
  private static let count = 8

  /// Opens a file for reading, until the process ends; `nil` if that fails.
  static func open(_ path: Argument) -> CInt? {
    let word = unsafe path.allocated()
    defer { unsafe free(word) }
    guard let word = unsafe word else { return nil }
    let descriptor = unsafe CLibrary.open(word, O_RDONLY | O_CLOEXEC)
    return descriptor >= 0 ? descriptor : nil
  }

  /// Throws if too few descriptors are left for observing changes.
  static func check() throws(ReachabilityMonitorError) {
    let opened = (0..<count).map { _ in fcntl(2, F_DUPFD_CLOEXEC, 3) }
    let number = opened.last == -1 ? errno : 0
    for descriptor in opened where descriptor >= 0 { close(descriptor) }
    guard number != 0 else { return }
    throw ReachabilityMonitorError(
      .systemUnavailable, errorNumber: number,
      description: "changes cannot be observed: \(Errno(rawValue: number)); "
        + "raise the limit of open files (ulimit -n)")
  }
}
