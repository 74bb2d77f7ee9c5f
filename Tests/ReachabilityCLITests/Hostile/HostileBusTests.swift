// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// The command trusts nothing from the system bus but whether a connection is metered.
@Suite(.needsNamespaces, .needsPython, .deadline) struct `Hostile answers of the system bus` {
  /// Shows that the command accepts an honest bus in the same place.
  @Test func `a path is expensive if the bus reports it`() throws {
    let network = try network(withBus: "honest")
    // The command waits a tenth of a second for the bus, which a busy machine may exceed.
    let deadline = ContinuousClock.now + RunningCommand.timeLimit
    var output = ""
    while !output.contains("\nexpensive    yes\n"), ContinuousClock.now < deadline {
      output = try run([], network).output
    }
    #expect(output.contains("\nexpensive    yes\n"))
  }

  // Slow: 14 buses, five commands each, and some of them wait for a silent bus.
  @Test(arguments: [
    "rejects", "rejectsLoudly", "babbles", "endless", "silent", "hangsUp", "garbage", "huge", "errors",
    "texts",
    "others", "cut", "signals", "lies",
  ])
  func `a hostile bus leaves the path as it is without a bus`(_ manner: String) throws {
    let network = try network(withBus: manner)
    let expected = try [[], ["--json"]].map { try run($0, network, bus: "/run/none") }
    try #expect([run([], network), run(["--json"], network)] == expected)
    #expect(expected.map(\.status) == [0, 0])
    let deadline = ContinuousClock.now + RunningCommand.timeLimit
    var watch: Outcome
    // A busy kernel may take longer than that for the first path.
    repeat {
      watch = try run(["--watch", "--timeout", "2s"], network)
    } while watch.lines.isEmpty && ContinuousClock.now < deadline
    watch.expectHarmless(errors: 0, "watch")
    #expect(watch.lines.dropFirst() == expected[0].lines[...])
    try network.sh("grep -q connected /run/log")
  }

  private func network(withBus manner: String) throws -> NetworkNamespace {
    let network = try NetworkNamespace.wired()
    try network.hideFolders("/run")
    try network.ip("route add default via 10.1.0.254")
    try network.sh(
      """
      cat >/run/bus.py <<'END'
      \(Self.bus)
      END
      setsid timeout 60 /usr/bin/python3 /run/bus.py \(manner) >&- 2>&- &
      for i in $(seq 2000); do [ -S /run/bus ] && exit; sleep 0.005; done; exit 1
      """)
    return network
  }

  private func run(
    _ options: [String], _ network: NetworkNamespace, bus: String = "/run/bus"
  ) throws -> Outcome {
    try RunningCommand(
      ["path"] + options, in: network, environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(bus)"]
    )
    .finish()
  }

  private static let bus = #"""
    import socket, struct, sys, threading

    manner = sys.argv[1]
    EVIL = '\x1b[2J\x1b]0;owned\x07"},{\n\u202e'

    def padded(data, size):
        return data + bytes(-len(data) % size)

    def text(value):
        encoded = value.encode()
        return struct.pack("<I", len(encoded)) + encoded + b"\0"

    def field(code, kind, value):
        return struct.pack("<BB", code, 1) + kind + b"\0" + value

    def message(kind, serial, fields, body=b""):
        packed = b""
        for one in fields: packed = padded(packed, 8) + one
        head = struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), serial, len(packed)) + packed
        return padded(head, 8) + body

    def signature(kind):
        return field(8, b"g", bytes([len(kind)]) + kind + b"\0")

    def reply(serial, call, process):
        to = field(5, b"u", struct.pack("<I", serial))
        if manner == "garbage": return bytes((serial * 89 + i * 31) % 256 for i in range(200))
        if manner == "huge": return struct.pack("<cBBBIII", b"l", 2, 0, 1, 0x7fffffff, 1, 0x7fffffff)
        if manner == "errors": return message(3, 9, [to, field(4, b"s", text(EVIL)), signature(b"s")], text(EVIL))
        if manner == "others":
            return message(2, 9, [field(5, b"u", struct.pack("<I", serial + 1000)), signature(b"s")], text(EVIL))
        if manner == "signals":
            fields = [field(1, b"o", text("/")), field(2, b"s", text(EVIL)), field(3, b"s", text("NameOwnerChanged"))]
            return message(4, 9, fields + [signature(b"s")], text(EVIL)) * 50
        if manner in ("honest", "lies"):
            if b"GetConnectionUnixProcessID" in call:
                return message(2, 9, [to, signature(b"u")], struct.pack("<I", process))
            if b"GetDeviceByIpIface" in call:
                return message(2, 9, [to, signature(b"o")], text("/device" if manner == "honest" else EVIL))
            if b"Metered" in call:
                value = b"\x01u\0\0" + struct.pack("<I", 1) if manner == "honest" else b"\x01s\0\0" + text(EVIL)
                return message(2, 9, [to, signature(b"v")], value)
        whole = message(2, 9, [to, signature(b"s")], text(EVIL))
        return whole[:-5] if manner == "cut" else whole

    def serve(peer):
        with open("/run/log", "a") as log: print("connected", file=log)
        process = struct.unpack("i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[:4])[0]
        if manner == "hangsUp": return peer.close()
        if manner == "rejects": peer.sendall(b"REJECTED EXTERNAL\r\n")
        if manner == "rejectsLoudly": peer.sendall(b"REJECTED " + EVIL.encode() + b"\r\n")
        if manner == "babbles": peer.sendall((EVIL + "\r\n").encode() * 1000)
        if manner == "endless":
            while True: peer.sendall(b"x" * 65536)
        received = b""
        while manner != "silent" and b"BEGIN\r\n" not in received:
            received += peer.recv(65536)
            if received.endswith(b"DATA\r\n"): peer.sendall(b"DATA\r\nOK " + EVIL.encode().replace(b"\n", b"") + b"\r\n")
        received = received.split(b"BEGIN\r\n", 1)[-1]
        while True:
            chunk = peer.recv(65536)
            if not chunk: return
            received += chunk
            while manner != "silent" and len(received) >= 16:
                body, serial, fields = struct.unpack_from("<III", received, 4)
                length = 16 + fields + -fields % 8 + body
                if len(received) < length: break
                call, received = received[:length], received[length:]
                peer.sendall(reply(serial, call, process))

    listener = socket.socket(socket.AF_UNIX)
    listener.bind("/run/bus")
    listener.listen()
    while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """#
}
#endif
