// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct TargetParsingTests {
  @Test(
    arguments: [
      ("default", .defaultRoute),
      ("0.0.0.0", .defaultRoute),
      ("::", .defaultRoute),
      ("0:0:0:0:0:0:0:0", .defaultRoute),
      ("::0.0.0.0", .defaultRoute),
      ("10.1.0.2", .address("10.1.0.2")),
      ("255.255.255.255", .address("255.255.255.255")),
      ("127.0.0.1", .address("127.0.0.1")),
      ("fd00::1", .address("fd00::1")),
      ("FD00:0::1", .address("fd00::1")),
      ("::1", .address("::1")),
      ("::ffff:10.1.0.2", .address("10.1.0.2")),
      ("::ffff:a01:2", .address("10.1.0.2")),
      ("64:ff9b::10.1.0.2", .address("64:ff9b::a01:2")),
      ("fe80::1", .address("fe80::1")),
      ("fe80::1%eth0", .address("fe80::1", zone: .name("eth0"))),
      ("fe80::1%2", .address("fe80::1", zone: .index(2))),
      ("fe80::1%2147483647", .address("fe80::1", zone: .index(2_147_483_647))),
      ("febf::1%wlan0", .address("febf::1", zone: .name("wlan0"))),
      ("ff02::fb%eth0.7", .address("ff02::fb", zone: .name("eth0.7"))),
      ("ff01::1%lo", .address("ff01::1", zone: .name("lo"))),
      ("ff03::1%eth0", .address("ff03::1", zone: .name("eth0"))),
      ("ff04::1%2", .address("ff04::1", zone: .index(2))),
      ("ff05::2%eth0", .address("ff05::2", zone: .name("eth0"))),
      ("ff05::2", .address("ff05::2")),
      // Outside of a URL nothing is escaped.
      ("fe80::1%25v0", .address("fe80::1", zone: .name("25v0"))),
      ("[fe80::1%252]", .address("fe80::1", zone: .index(252))),
      ("fe80::1%abcdefghijklmno", .address("fe80::1", zone: .name("abcdefghijklmno"))),
      ("fe80::1%2a", .address("fe80::1", zone: .name("2a"))),
      ("fe80::1%-", .address("fe80::1", zone: .name("-"))),
      ("fe80::1%...", .address("fe80::1", zone: .name("..."))),
    ] as [(String, ReachabilityTarget)])
  func `a valid text parses to its target`(text: String, target: ReachabilityTarget) throws {
    #expect(try ReachabilityTarget(text) == target)
  }

  @Test func `the bytes of a zone need not be UTF-8`() throws {
    func target(_ text: String, _ zone: [UInt8], _ end: String = "") throws -> ReachabilityTarget {
      try ReachabilityTarget(bytes: Array(text.utf8) + zone + Array(end.utf8))
    }
    let wanted = ReachabilityTarget.address("fe80::1", zone: .bytes([0x78, 0xff]))
    #expect(try target("fe80::1%x", [0xff]) == wanted)
    #expect(try target("[fe80::1%x", [0xff], "]") == wanted)
    #expect(try target("fe80::1%", [UInt8](repeating: 0xff, count: 127)).interface != nil)
    #expect(try target("fe80::1%", Array("eth0".utf8)) == .address("fe80::1", zone: .name("eth0")))
    #expect(
      throws: ReachabilityTargetError(
        .malformedZone, text: "fe80::1%" + String(repeating: "\u{fffd}", count: 128))
    ) { try target("fe80::1%", [UInt8](repeating: 0xff, count: 128)) }
    #expect(throws: ReachabilityTargetError(.malformedZone, text: "fd00::1%\u{fffd}")) {
      try target("fd00::1%", [0xff])
    }
    #expect(throws: ReachabilityTargetError.self) { try target("a", [0xff]) }
  }

  @Test func `names of interfaces are equal if their bytes are`() {
    typealias Interface = ReachabilityTarget.Interface
    #expect(Interface.bytes(Array("eth0".utf8)) == .name("eth0"))
    #expect(Interface.bytes(Array("eth0".utf8)).hashValue == Interface.name("eth0").hashValue)
    #expect(Interface.bytes([0xff]) != .name("\u{fffd}") && Interface.bytes([0xff]) != .bytes([0xfe]))
    #expect(Interface.bytes(Array("7".utf8)) != .index(7))
    #expect(Interface(bytes: Array("7".utf8)) == .index(7) && Interface(bytes: [0xff, 0x2f]) == nil)
  }

  @Test(arguments: [
    "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4.", ".", "127.1", "1", "10.0.0.0/8", "1::2::3",
    ":", ":::", "a:b:443", "fd00::g", "fd00::/8", "1:2:3:4:5:6:7:8:9",
    "%1",
    "/",
  ])
  func `a malformed address is rejected`(text: String) {
    #expect(throws: ReachabilityTargetError(.malformedAddress, text: text)) { try ReachabilityTarget(text) }
  }

  @Test(arguments: [
    "fe80::1%", "fe80::1%0", "fe80::1%00", "fe80::1%2147483648", "fe80::1%99999999999999999999",
    "fe80::1%" + long + "a", "fe80::1%a/b", "fe80::1%a b", "fe80::1% ", "fe80::1%eth0\n",
    "fd00::1%eth0", "::1%lo", "::%eth0", "10.1.0.2%eth0", "0.0.0.0%2", "::ffff:10.1.0.2%eth0",
    "fec0::1%eth0", "ff00::1%eth0", "ff06::1%eth0", "ff08::1%eth0", "ff0e::1%eth0",
    "http://[fe80::1%25]/", "http://[fe80::1%]/", "http://[fe80::1%25a%2]/", "http://[fe80::1%25a%2g]/",
    "http://[fe80::1%25%+1]/", "http://[fe80::1%25%ff]/", "http://[fe80::1%25a%2Fb]/",
    "http://[ff08::1%25v0]/",
  ])
  func `an invalid zone is rejected`(text: String) {
    #expect(throws: ReachabilityTargetError(.malformedZone, text: text)) { try ReachabilityTarget(text) }
  }

  @Test(
    arguments: [
      ("example.com", "example.com"),
      ("Example.COM", "example.com"),
      ("localhost", "localhost"),
      ("a", "a"),
      ("Default", "default"),
      ("example.com.", "example.com."),
      ("_sip._tcp.example.com", "_sip._tcp.example.com"),
      ("xn--bcher-kva.example", "xn--bcher-kva.example"),
      ("1.2.3.4a", "1.2.3.4a"),
      ("3com.example", "3com.example"),
      ("fe80", "fe80"),
      ("eth0", "eth0"),
      ("https://example.com", "example.com"),
      ("https://example.com:8443/x?y#z", "example.com"),
      ("https://Example.com:/", "example.com"),
      ("ftp://user:secret@example.com/", "example.com"),
      ("ftp://a@b@example.com?x@y", "example.com"),
      ("git+ssh://example.com#://", "example.com"),
      (String(repeating: "a", count: 63) + ".example", String(repeating: "a", count: 63) + ".example"),
    ] as [(String, String)])
  func `a host name is parsed, alone or in a URL`(text: String, name: String) throws {
    #expect(try ReachabilityTarget(text).destination == .host(ReachabilityTarget.HostName(name)))
    #expect(try ReachabilityTarget.HostName(name).text == name)
  }

  @Test(
    arguments: [
      ("[fd00::1]", .address("fd00::1")),
      ("[fe80::1%eth0]", .address("fe80::1", zone: .name("eth0"))),
      ("[::]", .defaultRoute),
      ("http://10.1.0.2", .address("10.1.0.2")),
      ("http://10.1.0.2:80/", .address("10.1.0.2")),
      ("https://[fd00::1]", .address("fd00::1")),
      ("https://[fd00::1]:8443/x", .address("fd00::1")),
      ("https://user@[fe80::1%2]/", .address("fe80::1", zone: .index(2))),
      // RFC 6874
      ("http://[fe80::1%25v0]/", .address("fe80::1", zone: .name("v0"))),
      ("http://[fe80::1%252]:80", .address("fe80::1", zone: .index(2))),
      ("http://[fe80::1%2525]", .address("fe80::1", zone: .index(25))),
      ("http://[ff05::1%25v0%2e7]", .address("ff05::1", zone: .name("v0.7"))),
      ("http://[fe80::1%25%C3%A9t%c3%a9]", .address("fe80::1", zone: .name("été"))),
      ("http://[fe80::1%v0]/", .address("fe80::1", zone: .name("v0"))),
      ("http://[fe80::1%v%2e]/", .address("fe80::1", zone: .name("v%2e"))),
    ] as [(String, ReachabilityTarget)])
  func `an address is parsed in brackets and in a URL`(text: String, target: ReachabilityTarget) throws {
    #expect(try ReachabilityTarget(text).withoutPort == target)
  }

  @Test(
    arguments: [
      ("example.com", nil, nil), ("10.9.0.1", nil, nil), ("default", nil, nil), ("[fd00::1]", nil, nil),
      ("https://example.com", .tcp, 443), ("HTTPS://example.com/x:1", .tcp, 443),
      ("https://example.com:/", .tcp, 443), ("https://example.com:8443/x", .tcp, 8443),
      ("http://[fd00::1]", .tcp, 80), ("http://[fd00::1]:8080", .tcp, 8080),
      ("ws://10.9.0.1", .tcp, 80), ("wss://10.9.0.1", .tcp, 443), ("ssh://git@example.com/x", .tcp, 22),
      ("tcp://example.com:22", .tcp, 22), ("udp://10.9.0.1:53", .udp, 53), ("udp://example.com", .udp, nil),
      ("tcp://example.com", .tcp, nil), ("coap://example.com", .udp, 5683),
      ("coap://example.com:1", .udp, 1), ("ftp://h", .tcp, 21), ("sftp://h", .tcp, 22),
      ("telnet://h", .tcp, 23), ("smtp://h", .tcp, 25), ("pop://h", .tcp, 110), ("nntp://h", .tcp, 119),
      ("imap://h", .tcp, 143), ("ldap://h", .tcp, 389), ("smb://h", .tcp, 445), ("rtsp://h", .tcp, 554),
      ("ipp://h", .tcp, 631), ("ldaps://h", .tcp, 636), ("rsync://h", .tcp, 873), ("imaps://h", .tcp, 993),
      ("mqtt://h", .tcp, 1883), ("nfs://h", .tcp, 2049), ("mysql://h", .tcp, 3306),
      ("postgres://h", .tcp, 5432), ("amqps://h", .tcp, 5671), ("amqp://h", .tcp, 5672),
      ("redis://h", .tcp, 6379), ("git://h", .tcp, 9418), ("tftp://h", .udp, 69),
      ("git+ssh://example.com", nil, nil),
      ("x://example.com", nil, nil), ("x://example.com:0065535", .tcp, 65535), ("x://example.com:0", .tcp, 0),
      ("https://0.0.0.0", .tcp, 443),
    ] as [(String, ReachabilityTarget.Transport?, UInt16?)])
  func `a URL gives the transport and the port`(
    text: String, transport: ReachabilityTarget.Transport?, port: UInt16?
  )
    throws
  {
    let target = try ReachabilityTarget(text)
    #expect(target.transport == transport)
    #expect(target.port == port)
  }

  @Test(
    arguments: [
      ("host:443", .malformedName, "tcp://host:443"), ("10.1.0.2:80", .malformedAddress, "tcp://10.1.0.2:80"),
      ("[fd00::1]:80", .malformedAddress, "tcp://[fd00::1]:80"),
    ] as [(String, ReachabilityTargetError.Code, String)])
  func `a host with a port is rejected with the URL to write`(
    text: String, code: ReachabilityTargetError.Code, url: String
  ) throws {
    let error = ReachabilityTargetError(code, text: text, detail: "a target with a port is a URL: \(url)")
    #expect(throws: error) { try ReachabilityTarget(text) }
    #expect(try ReachabilityTarget(url).port != nil)
  }

  @Test func `a host with many ports is rejected without delay`() {
    let count = 100_000
    for text in [
      "1" + String(repeating: ":1", count: count),
      String(repeating: "[", count: count) + "1" + String(repeating: "]:1", count: count),
    ] {
      #expect(throws: ReachabilityTargetError.self) { try ReachabilityTarget(text) }
    }
  }

  @Test func `a name may have 253 octets, with a dot after them, and no more`() throws {
    let longest = Array(repeating: String(repeating: "a", count: 62), count: 4).joined(separator: ".") + "a"
    #expect(longest.utf8.count == 252)
    #expect(try ReachabilityTarget("b" + longest) == .host(ReachabilityTarget.HostName("b" + longest)))
    #expect(
      try ReachabilityTarget("b" + longest + ".") == .host(ReachabilityTarget.HostName("b" + longest + ".")))
    let error = #expect(throws: ReachabilityTargetError.self) { try ReachabilityTarget("bb" + longest) }
    #expect(error?.code == .malformedName)
    #expect(error?.detail == "it has more than 253 octets")
  }

  @Test(
    arguments: [
      (" default", "' ' is not allowed in a name"),
      ("default ", "' ' is not allowed in a name"),
      ("10.1.0.2 ", "' ' is not allowed in a name"),
      ("a..example", "it has an empty part between dots"),
      (".example", "it has an empty part between dots"),
      ("example..", "it has an empty part between dots"),
      (String(repeating: "a", count: 64) + ".example", "a part between dots has more than 63 octets"),
      ("-a.example", "a part between dots begins or ends with a hyphen"),
      ("a-.example", "a part between dots begins or ends with a hyphen"),
      ("-", "a part between dots begins or ends with a hyphen"),
      (
        "bücher.example",
        "only the ASCII form of internationalised names is accepted, for example xn--bcher-kva.example"
      ),
      ("0x7f.1", "its last part is a number, as in an IPv4 address, which has four decimal parts"),
      ("a.0x7f", "its last part is a number, as in an IPv4 address, which has four decimal parts"),
      ("http:", "':' is not allowed in a name"),
      ("a@b", "'@' is not allowed in a name"),
      ("a!", "'!' is not allowed in a name"),
      ("https://a b/", "' ' is not allowed in a name"),
      ("https://ex%61mple.com/", "'%' is not allowed in a name"),
      ("％", "only the ASCII form of internationalised names is accepted, for example xn--bcher-kva.example"),
    ] as [(String, String)])
  func `an invalid host name is rejected`(text: String, detail: String) {
    #expect(throws: ReachabilityTargetError(.malformedName, text: text, detail: detail)) {
      try ReachabilityTarget(text)
    }
  }

  @Test(
    arguments: [
      ("http//x", "a URL has '://' after its scheme"),
      ("example.com/index.html", "a URL has '://' after its scheme"),
      ("://x", "a scheme such as 'https' must precede '://'"),
      ("1http://x", "a scheme such as 'https' must precede '://'"),
      ("ht tp://x", "a scheme such as 'https' must precede '://'"),
      ("http://", "the host is missing"),
      ("http:///x", "the host is missing"),
      ("http://:80", "the host is missing"),
      ("http://user@/x", "the host is missing"),
      ("http://x:port", "the port is not a number from 0 to 65535"),
      ("http://x:65536", "the port is not a number from 0 to 65535"),
      ("http://x:-1", "the port is not a number from 0 to 65535"),
      ("http://[fd00::1]:+1", "the port is not a number from 0 to 65535"),
    ] as [(String, String)])
  func `an invalid URL is rejected`(text: String, detail: String) {
    #expect(throws: ReachabilityTargetError(.malformedURL, text: text, detail: detail)) {
      try ReachabilityTarget(text)
    }
  }

  @Test func `only an IPv6 address can be in brackets`() {
    for text in ["[10.1.0.2]", "[example]", "[]", "http://[]"] {
      let error = ReachabilityTargetError(
        .malformedAddress, text: text, detail: "only an IPv6 address can be in brackets")
      #expect(throws: error) { try ReachabilityTarget(text) }
    }
    #expect(throws: ReachabilityTargetError(.malformedAddress, text: "[fd00::g]")) {
      try ReachabilityTarget("[fd00::g]")
    }
  }

  @Test(
    arguments: [
      (.malformedAddress, "1.2.3", "'1.2.3' is not an IP address"),
      (
        .malformedZone, "fd00::1%eth0",
        "'fd00::1%eth0' has an invalid zone: it is an interface's name or index, of a link-local or multicast IPv6 address"
      ),
      (.malformedName, "a!b", "'a!b' is not a host name"),
      (.malformedURL, "http://", "'http://' is not a URL with a host"),
    ] as [(ReachabilityTargetError.Code, String, String)])
  func `an error quotes the text and says what is wrong`(
    code: ReachabilityTargetError.Code, text: String, description: String
  ) {
    #expect(ReachabilityTargetError(code, text: text).description == description)
  }

  @Test func `an empty text is not a target`() {
    #expect(throws: ReachabilityTargetError(.empty, text: "")) { try ReachabilityTarget("") }
    #expect(ReachabilityTargetError(.empty, text: "").description == "an empty text is not a target")
  }

  @Test(arguments: [
    "https://user:s3cret@ho st/", "https//user:s3cret@host", "https://host:s3cret/", "https://ho st/?s3cret",
    "s3cret@host", "https://user:s3cret@", "://user:s3cret@host", "https://user:s3cret@[10.1.0.1]",
    "https://user:s3cret@[fe80::1%]", "https://user:s3cret@1.2.3", "https://user:s3cret%40host/",
  ])
  func `an error keeps no user information, query or fragment`(text: String) throws {
    let error = try #require(throws: ReachabilityTargetError.self) { try ReachabilityTarget(text) }
    #expect(!error.text.contains("s3cret"))
    #expect(!error.description.contains("s3cret"))
    #expect(!"\(error)".contains("s3cret"))
  }

  @Test func `error codes have names as raw values`() {
    let codes: [ReachabilityTargetError.Code] = [
      .empty, .malformedAddress, .malformedZone, .malformedName, .malformedURL,
    ]
    #expect(
      codes.map(\.rawValue) == [
        "empty", "malformedAddress", "malformedZone", "malformedName", "malformedURL",
      ])
  }

  private static let long = String(repeating: "a", count: 127)

  @Test(
    arguments: [
      ("eth0", .name("eth0")), ("2", .index(2)), ("007", .index(7)), ("e", .name("e")),
      ("wlx001122334455", .name("wlx001122334455")), ("éé", .name("éé")), ("0", nil), ("", nil),
      ("4294967297", nil), ("eth0/1", nil), ("\t", nil), ("a b", nil), ("a\nb", nil), ("a\0b", nil),
      // What else is blank is none to the kernel.
      ("a\u{2003}b", .name("a\u{2003}b")), ("a\u{85}b", .name("a\u{85}b")), ("à", .name("à")),
      // Alternative names may be longer than others and have bytes that these may not.
      ("a:b", .name("a:b")), (".", .name(".")), (Self.long, .name(Self.long)), (Self.long + "a", nil),
    ] as [(String, ReachabilityTarget.Interface?)])
  func `an interface is parsed as a name or an index`(text: String, interface: ReachabilityTarget.Interface?)
  {
    #expect(ReachabilityTarget.Interface(text) == interface)
  }

  @Test(
    arguments: [
      ("10.9.0.1", "tcp://10.9.0.1:5432"), ("fd00::1", "tcp://[fd00::1]:5432"),
      ("[fd00::1]", "tcp://[fd00::1]:5432"), ("fe80::1%eth0", "tcp://[fe80::1%25eth0]:5432"),
      ("db.test", "tcp://db.test:5432"), ("default", "tcp://default:5432"),
    ])
  func `a host and a port of settings are a target`(host: String, text: String) throws {
    let target = try ReachabilityTarget(host: host, port: 5432)
    #expect(target.description == text)
    #expect(target.port == 5432)
    #expect(try ReachabilityTarget(host: host, port: 53, transport: .udp).transport == .udp)
  }

  @Test(
    arguments: [
      ("", .empty), ("10.9.0.1:80", .malformedAddress), ("https://a.test", .malformedURL),
      ("a b", .malformedName), ("10.9.0.1%eth0", .malformedZone),
    ] as [(String, ReachabilityTargetError.Code)])
  func `a host of settings that is none is refused`(host: String, code: ReachabilityTargetError.Code) {
    let error = #expect(throws: ReachabilityTargetError.self) { try ReachabilityTarget(host: host, port: 1) }
    #expect(error?.code == code)
  }
}
