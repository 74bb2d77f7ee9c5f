import Reachability
import Testing

@Suite struct TargetParsingTests {
  @Test(
    arguments: [
      ("", .defaultRoute),
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
      ("fe80::1%abcdefghijklmno", .address("fe80::1", zone: .name("abcdefghijklmno"))),
      ("fe80::1%2a", .address("fe80::1", zone: .name("2a"))),
      ("fe80::1%-", .address("fe80::1", zone: .name("-"))),
      ("fe80::1%...", .address("fe80::1", zone: .name("..."))),
    ] as [(String, Target)])
  func `a text that means a target is read`(text: String, target: Target) throws {
    #expect(try Target(text) == target)
  }

  @Test(arguments: [
    "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4.", ".", "127.1", "1", "10.0.0.0/8", "1::2::3",
    ":", ":::", "fd00::g", "[fe80::1]", "fd00::/8", "10.1.0.2:80", "http://10.1.0.2", "1:2:3:4:5:6:7:8:9",
    "%1",
    "/",
  ])
  func `a text that looks like an address but is none is refused`(text: String) {
    #expect(throws: TargetError(.malformedAddress, text: text)) { try Target(text) }
  }

  @Test(arguments: [
    "fe80::1%", "fe80::1%0", "fe80::1%00", "fe80::1%2147483648", "fe80::1%99999999999999999999",
    "fe80::1%abcdefghijklmnop", "fe80::1%ääääääää", "fe80::1%.", "fe80::1%..", "fe80::1%a/b", "fe80::1%a:b",
    "fe80::1%%eth0:",
    "fe80::1%a b", "fe80::1% ", "fe80::1%eth0\n", "fe80::1%\u{a0}", "fe80::1%\u{2003}",
    "fd00::1%eth0", "::1%lo", "::%eth0", "10.1.0.2%eth0", "0.0.0.0%2", "::ffff:10.1.0.2%eth0",
    "fec0::1%eth0", "ff05::1%eth0", "ff0e::1%eth0",
  ])
  func `a zone that can't be is refused`(text: String) {
    #expect(throws: TargetError(.malformedZone, text: text)) { try Target(text) }
  }

  @Test(arguments: [
    "example.com", "localhost", "a", "Default", "DEFAULT", " default", "default ", " ", "10.1.0.2 ", "0x7f.1",
    "fe80", "-", "1.2.3.4a", "eth0", "％",
  ])
  func `a host name is refused for now`(text: String) {
    #expect(throws: TargetError(.hostNamesNotSupported, text: text)) { try Target(text) }
  }

  @Test(
    arguments: [
      (.malformedAddress, "1.2.3", "'1.2.3' is not an IP address"),
      (
        .malformedZone, "fd00::1%eth0",
        "'fd00::1%eth0' has a zone that can't be: it is an interface's name or index, of a link-local IPv6 address"
      ),
      (
        .hostNamesNotSupported, "example.com",
        "'example.com' is a host name; host names are not supported yet"
      ),
    ] as [(TargetError.Code, String, String)])
  func `an error says what is wrong with which text`(
    code: TargetError.Code, text: String, description: String
  ) {
    #expect(TargetError(code, text: text).description == description)
  }

  @Test func `the codes of errors are words`() {
    let codes: [TargetError.Code] = [.malformedAddress, .malformedZone, .hostNamesNotSupported]
    #expect(codes.map(\.rawValue) == ["malformedAddress", "malformedZone", "hostNamesNotSupported"])
  }

  @Test(
    arguments: [
      ("eth0", .name("eth0")), ("2", .index(2)), ("007", .index(7)), ("e", .name("e")),
      ("wlx001122334455", .name("wlx001122334455")), ("éé", .name("éé")), ("0", nil), ("", nil),
      ("4294967297", nil), ("eth0/1", nil), ("\t", nil),
    ] as [(String, Target.Interface?)])
  func `an interface is read by name or index`(text: String, interface: Target.Interface?) {
    #expect(Target.Interface(text) == interface)
  }
}
