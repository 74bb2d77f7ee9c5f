// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandLineSupport
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

@Suite(.needsNamespaces, .deadline) struct `Characters of the locale` {
  @Test(
    arguments: [
      ([:], .ascii), (["LANG": "C"], .ascii), (["LANG": "C.UTF-8"], .unicode),
      (["LANG": "de_DE.utf8"], .unicode),
      (["LANG": "de_DE.UTF-8@euro"], .unicode), (["LANG": "de_DE@euro"], .ascii),
      (["LANG": "UTF-8"], .unicode),
      (["LANG": "en_US.ISO-8859-1"], .ascii), (["LANG": "ru_RU.KOI8-R"], .ascii), (["LANG": "en_US"], .ascii),
      (["LC_ALL": "POSIX", "LC_CTYPE": "C.UTF-8", "LANG": "C.UTF-8"], .ascii),
      (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"], .unicode),
      (["LC_CTYPE": "C", "LANG": "C.UTF-8"], .ascii), (["LC_ALL": "@"], .ascii), (["LC_ALL": "."], .ascii),
    ] as [([String: String], CharacterRepertoire)])
  func `the first variable that is set decides, by its code set`(
    variables: [String: String], expected: CharacterRepertoire
  ) {
    #expect(CharacterRepertoire { variables[$0] } == expected, "\(variables)")
  }

  @Test(arguments: ["reachability", "reachability-report", "reachability-rehearse", "reachability-verify"])
  func `help has only ASCII in a locale without UTF-8`(program: String) throws {
    let help = try RunningCommand(["--help"], of: program, environment: ["LC_ALL": "C"]).finish().output
    #expect(help.utf8.allSatisfy { $0 < 0x80 } && help.contains("[OPTION...]"), "\(help)")
  }

  @Test func `objects keep their characters`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip(["link", "set", "eth0", "name", "a→b…"])
    let outcome = try reachability("--json", "10.1.0.2", in: network, environment: ["LC_ALL": "C"])
    #expect(outcome.output.contains(#""interface":"a→b…""#), "\(outcome)")
  }
}
#endif
