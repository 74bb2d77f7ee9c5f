// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import InternetProtocol
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct ResolverConfigurationTests {
  private func servers(_ text: String) -> [String] {
    ResolverConfiguration(text.utf8).nameServers.map(\.description)
  }

  @Test(
    arguments: [
      // Measured with res_ninit() of glibc 2.36.
      ("", ["127.0.0.1"]), ("# nothing\nsearch a b\n", ["127.0.0.1"]),
      ("nameserver 10.1.0.53\n", ["10.1.0.53"]), ("nameserver 10.1.0.53", ["10.1.0.53"]),
      ("nameserver\t fd00::53 \r\nnameserver 127.0.0.53\n", ["fd00::53", "127.0.0.53"]),
      (
        "nameserver 127.1\nnameserver 0x7f.2\nnameserver 0177.0.0.3\n",
        ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
      ),
      ("nameserver 1\nnameserver 0.0.0.0\nnameserver ::\n", ["0.0.0.1", "0.0.0.0", "::"]),
      ("nameserver 10.1.0.53\u{b}\nnameserver 10.1.0.54\u{b}x\n", ["127.0.0.1"]),
      ("# nameserver 10.1.0.1\n;nameserver 10.1.0.2\n nameserver 10.1.0.3\n", ["127.0.0.1"]),
      ("nameserver 10.1.0.53 # ours\nnameserver 10.1.0.54;x\nnameserver 10.1.0.55#x\n", ["10.1.0.53"]),
      ("nameservers 10.1.0.53\nnameserver10.1.0.53\nNameserver 10.1.0.53\n", ["127.0.0.1"]),
      ("nameserver\nnameserver \nnameserver ns.example\nnameserver 10.1.0.256\n", ["127.0.0.1"]),
      ("domain example\nsearch a b\noptions edns0\nnameserver 10.1.0.53\n", ["10.1.0.53"]),
      ("nameserver fe80::53%eth0\nnameserver fe80::54%2\n", ["fe80::53%eth0", "fe80::54%2"]),
      (
        "nameserver fe80::53%\nnameserver fd00::53%eth0\nnameserver fe80::53%a/b\n",
        ["fe80::53", "fd00::53", "fe80::53"]
      ),
      (
        "nameserver 10.0.0.1\nnameserver 10.0.0.2\nnameserver 10.0.0.3\nnameserver 10.0.0.4\n",
        ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
      ),
      ("nameserver \u{0}\nnameserver 10.1\u{0}.0.53\n", ["10.0.0.1"]),
    ])
  func `name servers are the addresses that the C libraries would query`(text: String, expected: [String]) {
    #expect(servers(text) == expected)
  }

  @Test func `a carriage return is part of the address for glibc, and white space for musl`() {
    #if canImport(Musl)
    #expect(servers("nameserver 10.1.0.53\r\n") == ["10.1.0.53"])
    #else
    #expect(servers("nameserver 10.1.0.53\r\n") == ["127.0.0.1"])
    #endif
  }

  @Test func `the C library's default server does not count as configured`() {
    #expect(!ResolverConfiguration("".utf8).isConfigured)
    #expect(ResolverConfiguration("nameserver 127.1".utf8).isConfigured)
  }

  @Test(arguments: ["0.0.0.0", "::"])
  func `an unspecified name server address is the loopback address`(text: String) throws {
    let server = try #require(ResolverConfiguration("nameserver \(text)".utf8).nameServers.first)
    let loopback: ReachabilityAddress = text == "::" ? "::1" : "127.0.0.1"
    #expect(server.target == ReachabilityTarget(.address(loopback), transport: .udp, port: 53))
  }

  @Test func `a line that is not text is ignored`() {
    let bytes = Array("nameserver ".utf8) + [0xff, 0xfe, 0x0a] + Array("nameserver 10.1.0.53\n".utf8)
    #expect(ResolverConfiguration(bytes).nameServers == [.init("10.1.0.53")])
  }

  @Test(.timeLimit(.minutes(10)))
  func `a missing file, a directory, an endless device and a pipe configure nothing`() throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path("pipe")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    for path in [folder.path("none"), folder.path(""), "/dev/zero", pipe] {
      #expect(try !ResolverConfiguration(contentsOf: path).isConfigured, "\(path)")
    }
  }

  @Test func `of a file beyond the size limit, the whole lines at its beginning count`() throws {
    let folder = try TemporaryFolder()
    let first = "nameserver 10.1.0.53\n"
    // The second server's line crosses the limit, and its remainder would be another address.
    let filler = String(repeating: "#", count: (1 << 16) - first.utf8.count - 21) + "\n"
    try (first + filler + "nameserver 10.1.0.254\n").write(
      toFile: folder.path("long"), atomically: false, encoding: .utf8)
    #expect(try ResolverConfiguration(contentsOf: folder.path("long")).nameServers == [.init("10.1.0.53")])
  }

  @Test func `a search domain that ends lookups is found in the file`() throws {
    let folder = try TemporaryFolder()
    for (length, found) in [(255, nil), (256, 256)] as [(Int, Int?)] {
      let domain = String(repeating: "a", count: length)
      try "search \(domain)\n".write(toFile: folder.path("conf"), atomically: false, encoding: .utf8)
      let overlong = try ExplanationFacts.OverlongSearchDomain.find(in: folder.path("conf"))
      #expect(overlong == found.map { .init(path: folder.path("conf"), length: $0) })
    }
  }

  @Test func `a file is read`() throws {
    let folder = try TemporaryFolder()
    try "nameserver 10.1.0.53\n".write(toFile: folder.path("conf"), atomically: false, encoding: .utf8)
    #expect(try ResolverConfiguration(contentsOf: folder.path("conf")).nameServers == [.init("10.1.0.53")])
  }
}

/// A temporary folder, which is removed with this object.
private final class TemporaryFolder {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "resolver-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }
}
#endif
