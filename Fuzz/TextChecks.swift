// SPDX-License-Identifier: Apache-2.0
import Foundation

@testable import CommandLineSupport
@testable import ReachabilityCLI
@testable import ReachabilityKit

extension Check {
  private static let question: NameQuestion? = try? NameQuestion(
    ReachabilityTarget.HostName("a.test"), number: 0x3132)

  /// Addresses and prefixes, and the answers of name servers.
  static let addresses = [
    Check("NameQuestion") { bytes throws(Finding) in
      guard let question, let code = question.code(of: bytes) else { return }
      try expect(bytes.count >= 12 && code == bytes[3] & 0xf, "code \(code) is not in the answer")
      try expect(bytes.starts(with: question.bytes.prefix(2)), "the answer to another query")
    },
    Check(text: "ReachabilityAddress") { text throws(Finding) in
      let address = ReachabilityAddress(text)
      // C text ends at a zero.
      if !text.utf8.contains(0) {
        try expect(
          address?.octets == libraryOctets(text), "the C library parses \(text.debugDescription) differently")
      }
      guard let address else { return }
      try expect(ReachabilityAddress(address.description) == address, "\(address) is not read back")
      try expect(ReachabilityAddress(octets: address.octets) == address, "\(address) differs from its octets")
    },
    Check("IPPrefix") { bytes throws(Finding) in
      guard let last = bytes.last, let address = ReachabilityAddress(octets: bytes.dropLast()) else { return }
      let length = Int(Int8(bitPattern: last)) + (last == 0x80 ? 256 : 0)
      let prefix = IPPrefix(address, length: length)
      try expect((prefix != nil) == (0...address.bitWidth).contains(length), "\(address)/\(length)")
      guard let prefix else { return }
      try expect(prefix.contains(address) && prefix.contains(prefix.last), "\(prefix) lacks its addresses")
      try expect(IPPrefix(prefix.address, length: length) == prefix, "\(prefix) has bits beyond its length")
      try expect(IPPrefix(prefix.last, length: length) == prefix, "\(prefix) ends elsewhere")
      let sibling = address.octets.enumerated().map { index, octet in
        length > 0 && index == (length - 1) / 8 ? octet ^ (0x80 >> ((length - 1) % 8)) : octet
      }
      let other = ReachabilityAddress(octets: sibling)
      try expect(length == 0 || !(other.map(prefix.contains) ?? true), "\(prefix) has a neighbour's address")
    },
  ]

  private static func libraryOctets(_ text: String) -> [UInt8]? {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var octets = [UInt8](repeating: 0, count: count)
      if unsafe inet_pton(family, text, &octets) == 1 { return octets }
    }
    return nil
  }

  /// Targets and their parts.
  static let targets = [
    Check(text: "HostName") { text throws(Finding) in
      guard let name = try? ReachabilityTarget.HostName(text) else { return }
      try expect((1...254).contains(name.text.utf8.count), "\(name) is too long")
      try expect(name.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "\(name.text.debugDescription)")
      try expect((try? ReachabilityTarget.HostName(name.text)) == name, "\(name) is not read back")
      try expect(
        (try? ReachabilityTarget.HostName(text.uppercased())) == name, "\(name) in capitals differs")
      try expect(!name.zone.isEmpty && name.text.contains(name.zone), "\(name) is in \(name.zone)")
      try expect(libraryOctets(name.text) == nil, "\(name) is an address")
    },
    Check(text: "Target") { text throws(Finding) in
      let target: ReachabilityTarget
      do throws(ReachabilityTargetError) {
        target = try ReachabilityTarget(text)
      } catch {
        try expect(error.text == text.redacted, "an error about another text")
        return try expect(error.text.redacted == error.text, "redacting twice changes the text")
      }
      try expect(!text.isEmpty, "an empty text is a target")
      // A host with this name has the same description as the default route.
      if case .host(let name) = target.destination, name.text == "default" { return }
      try expect((try? ReachabilityTarget(target.description)) == target, "\(target) is not read back")
      try expect(
        target.interface.map { ReachabilityTarget.Interface($0.description) == $0 } ?? true,
        "\(target)'s zone")
      guard case .address(let address) = target.destination else { return }
      try expect(
        !address.unmapped.isUnspecified && address == address.unmapped, "\(address) has another form")
      try expect(target.interface == nil || address.canHaveZone, "\(address) can have no zone")
    },
    Check(text: "Interface") { text throws(Finding) in
      guard let interface = ReachabilityTarget.Interface(text) else { return }
      try expect(
        ReachabilityTarget.Interface(interface.description) == interface, "\(interface) is not read back")
      guard case .name(let name) = interface else { return }
      try expect((1...127).contains(name.utf8.count), "\(name.debugDescription) has an invalid length")
      try expect(
        !name.utf8.contains { "/ \t\n\0".utf8.contains($0) }, "\(name.debugDescription) is not a name")
    },
    Check(text: "Namespace") { text throws(Finding) in
      if let namespace = ReachabilityNamespace(text: text) { try check(namespace) }
      // As a program may pass it.
      try check(.named(text))
    },
  ]

  /// Expects a namespace's file to be in the folder of its kind.
  private static func check(_ namespace: ReachabilityNamespace) throws(Finding) {
    guard let file = try? NamespaceFile(of: namespace) else { return }
    let path = Mirror(reflecting: file).descendant("path") as? String ?? ""
    try expect(!path.utf8.contains(0), "a zero in \(path.debugDescription)")
    switch namespace {
    case .path: break
    case .process: try expect(path.hasPrefix("/proc/"), "\(namespace) is \(path)")
    case .named(let name):
      try expect(
        ["/run/netns/", "/var/run/netns/"].map { $0 + name }.contains(path), "\(namespace) is \(path)")
      try expect(!name.utf8.contains(UInt8(ascii: "/")) && ![".", "..", ""].contains(name), "\(namespace)")
    }
  }
}
