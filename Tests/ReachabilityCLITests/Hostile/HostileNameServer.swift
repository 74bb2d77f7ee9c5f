// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import CommandSupport
import LiveSupport

/// A name server that gives hostile answers, in its own network; the first label of a name chooses the answer.
final class HostileNameServer: Sendable {
  let lab: NameLab
  private let server: RunningServer

  init() throws {
    let lab = try NameLab(settings: NameLab.shortSettings, isServing: false)
    self.lab = lab
    let script = lab.etc + "/server.py"
    try Self.program.write(toFile: script, atomically: true, encoding: .utf8)
    server = try RunningServer(
      "exec setpriv --pdeathsig KILL /usr/bin/python3 '\(script)'", in: lab.network,
      until: "grep -q ': 0100007F:0035' /proc/thread-self/net/udp", log: lab.etc + "/server.log")
  }

  /// A shared server, for tests that change nothing.
  static func sample() throws -> HostileNameServer { try shared.get() }

  private static let shared = Result { try HostileNameServer() }

  /// Every address in the server's answers.
  static let addresses: Set = [
    "10.9.0.1", "10.9.0.2", "fd00:9::1", "127.0.0.1", "224.0.0.1", "0.0.0.0", "fe80::1", "::ffff:10.9.0.1",
  ]

  /// The first labels that the server knows.
  static let words = [
    "plain", "escape", "title", "newline", "quote", "bytes", "zero", "long", "space", "chain", "loop", "self",
    "forward", "short", "empty", "cut", "counts", "nothing", "garbage", "other", "twice", "many", "odd",
    "mapped",
    "scoped",
  ]

  private static let program = #"""
    import socket, struct

    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    opened.bind(("127.0.0.1", 53))

    def name(*labels):
        return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"

    def record(owner, kind, data, length=None):
        return owner + struct.pack("!HHIH", kind, 1, 1, len(data) if length is None else length) + data

    ASKED = b"\xc0\x0c"
    ONE, TWO = bytes([10, 9, 0, 1]), bytes([10, 9, 0, 2])
    SIX = bytes.fromhex("fd000009000000000000000000000001")

    def alias(*labels):
        target = name(*labels)
        return [record(ASKED, 5, target), record(target, 1, ONE)]

    def records(word, kind):
        if word == b"escape": return alias(b"\x1b[31mred\x1b[2J", b"test")
        if word == b"title": return alias(b"\x1b]0;owned\x07", b"test")
        if word == b"newline": return alias(b"a\nb\r\nc", b"test")
        if word == b"quote": return alias(b'"},{"a":"\\', b"test")
        if word == b"bytes": return alias(b"\xff\xfe\x80\x9b2J", b"test")
        if word == b"zero": return alias(b"a\0b", b"test")
        if word == b"long": return alias(*[b"x" * 63] * 4)
        if word == b"space": return alias(b"a b  reachable", b"test")
        if word == b"chain":
            names = [ASKED] + [name(b"c%d" % number, b"test") for number in range(20)]
            return [record(*pair[:1], 5, pair[1]) for pair in zip(names, names[1:])] + [record(names[-1], 1, ONE)]
        if word == b"loop": return [record(ASKED, 5, ASKED), record(ASKED, 1, ONE)]
        if word == b"self": return [record(b"\xc0\x2d", 1, ONE), record(ASKED, 5, b"\xc0\x2d")]
        if word == b"forward": return [record(ASKED, 5, b"\xff\xff"), record(b"\xff\xff", 1, ONE)]
        if word == b"short": return [record(ASKED, 1, b"\x0a\x09\x00"), record(ASKED, 1, TWO)]
        if word == b"empty": return [record(ASKED, 1, b""), record(ASKED, 28, b"")]
        if word == b"cut": return [record(ASKED, 1, ONE), record(ASKED, 1, TWO, 400)]
        if word == b"other": return [record(name(b"victim", b"test"), 1, ONE)]
        if word == b"twice": return [record(ASKED, 1, ONE)] * 3
        if word == b"many": return [record(ASKED, 1, ONE if number % 2 else TWO) for number in range(80)]
        if word == b"odd":
            return [record(ASKED, 1, data) for data in (b"\xe0\0\0\x01", b"\x7f\0\0\x01", b"\0\0\0\0")]
        if word == b"mapped": return [record(ASKED, 28, bytes(10) + b"\xff\xff" + ONE)] if kind == 28 else []
        if word == b"scoped": return [record(ASKED, 28, b"\xfe\x80" + bytes(13) + b"\x01")] if kind == 28 else []
        return [record(ASKED, 1, ONE)] if kind == 1 else [record(ASKED, 28, SIX)]

    while True:
        query, sender = opened.recvfrom(4096)
        end = query.index(b"\0", 12) + 5
        word, question = query[13:13 + query[12]], query[12:end]
        kind = struct.unpack("!H", question[-4:-2])[0]
        answers = records(word, kind)
        counts = (65535, 65535, 65535) if word == b"counts" else (len(answers), 0, 0)
        answer = query[:2] + struct.pack("!HHHHH", 0x8180, 1, *counts) + question + b"".join(answers)
        if word == b"nothing": answer = b""
        if word == b"garbage": answer = query[:2] + b"\x81\x80" + b"\xa5" * 300
        if word == b"cut": answer = answer[:-9]
        opened.sendto(answer, sender)
    """#
}
#endif
