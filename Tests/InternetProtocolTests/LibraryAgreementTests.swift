// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The agreement with the C library's `inet_pton` and `inet_ntop`.
@Suite(.deadline) struct LibraryAgreementTests {
  @Test func `IPv4 text agrees with the C library`() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<5_000 {
      let address = ReachabilityAddress.random(bitWidth: 32, using: &generator)
      let text = libraryText(address)
      #expect(address.description == text)
      #expect(ReachabilityAddress(text) == address)
    }
  }

  @Test func `IPv6 text agrees with the C library`() {
    var generator = SeededGenerator(seed: 2)
    for round in 0..<10_000 {
      let address: ReachabilityAddress =
        round.isMultiple(of: 4)
        ? .random(bitWidth: 128, using: &generator) : .v6(.sparse(using: &generator))
      let text = libraryText(address)
      #expect(ReachabilityAddress(text) == address)
      #expect(libraryOctets(address.description) == address.octets)
      // The library prints the deprecated IPv4-compatible addresses (`::1.2.3.4`) in dotted decimal, too.
      if text.contains("."), !text.hasPrefix("::ffff:") { continue }
      #expect(address.description == text)
    }
  }

  @Test func `the text of mapped addresses agrees with the C library`() throws {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<1_000 {
      let inner = UInt32.random(in: 0 ... .max, using: &generator)
      let address = ReachabilityAddress.v6(.init(rawValue: 0xffff << 32 | UInt128(inner)))
      #expect(address.description == libraryText(address))
      #expect(address.unmapped == .v4(.init(rawValue: inner)))
    }
  }

  @Test func `parsing mutated text agrees with the C library`() {
    var generator = SeededGenerator(seed: 4)
    var accepted = 0
    for round in 0..<30_000 {
      let text = mutated(spelling(round, using: &generator), using: &generator)
      let octets = libraryOctets(text)
      if octets != nil { accepted += 1 }
      #expect(ReachabilityAddress(text)?.octets == octets, "\(text)")
    }
    // Otherwise the mutations would prove little.
    #expect((3_000...27_000).contains(accepted), "\(accepted) accepted")
  }

  @Test func `parsing text of an address's characters agrees with the C library`() {
    var generator = SeededGenerator(seed: 5)
    let characters = Array("::::..0011f9")
    for _ in 0..<50_000 {
      let count = Int.random(in: 0...14, using: &generator)
      let text = String((0..<count).map { _ in characters[Int.random(in: 0..<12, using: &generator)] })
      #expect(ReachabilityAddress(text)?.octets == libraryOctets(text), "\(text)")
    }
  }

  /// Returns one of the spellings of a random address: short, long, in capitals, with a dotted tail.
  private func spelling(_ round: Int, using generator: inout SeededGenerator) -> String {
    let address = ReachabilityAddress.V6.sparse(using: &generator)
    let groups = (0..<8).map { String(address.rawValue >> (112 - 16 * $0) & 0xffff, radix: 16) }
    let tail = ReachabilityAddress.V4(rawValue: UInt32(truncatingIfNeeded: address.rawValue))
    return switch round % 6 {
    case 0: tail.description
    case 1: address.description
    case 2: address.description.uppercased()
    case 3: groups.joined(separator: ":")
    case 4: (groups[0..<6] + [tail.description]).joined(separator: ":")
    default: "\(groups[0..<(round % 5)].joined(separator: ":"))::\(tail)"
    }
  }

  private func mutated(_ text: String, using generator: inout SeededGenerator) -> String {
    let alphabet = Array("0123456789abcdefABCDEFg:.:.% -+x/".utf8)
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      let position = Int.random(in: 0...bytes.count, using: &generator)
      let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes.insert(byte, at: position)
      case 1 where position < bytes.count: bytes.remove(at: position)
      case 2 where position < bytes.count: bytes[position] = byte
      case 3 where position < bytes.count: bytes.insert(bytes[position], at: position)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func libraryText(_ address: ReachabilityAddress) -> String {
    let family = address.bitWidth == 32 ? AF_INET : AF_INET6
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard unsafe inet_ntop(family, address.octets, &buffer, socklen_t(buffer.count)) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func libraryOctets(_ text: String) -> [UInt8]? {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var octets = [UInt8](repeating: 0, count: count)
      if unsafe inet_pton(family, text, &octets) == 1 { return octets }
    }
    return nil
  }
}
