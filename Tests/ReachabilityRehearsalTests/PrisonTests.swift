// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// What a hostile command of a rehearsal can do: nothing outside its copy.
@Suite(.needsNamespaces, .deadline) struct `The prison of a rehearsal` {
  /// Runs a script of a shell as a command, and returns what it printed.
  private func inside(_ script: String, in network: NetworkNamespace? = nil) throws -> String {
    let outcome = try rehearse("--", "sh", "-c", script, in: network ?? .sample())
    #expect(outcome.status != 2, "\(outcome)")
    return outcome.errors
  }

  @Test func `the real network announces nothing, whatever the command does`() throws {
    let network = try NetworkNamespace.withUplinks()
    let program = try Executable("reachability-rehearse").path
    let lines = try network.sh(
      """
      d=$(mktemp -d); cd $d
      ip monitor all >seen & monitor=$!
      for i in $(seq 250); do ip address add 10.99.0.$i/32 dev lo; [ -s seen ] && break; done
      \(program) -- sh -c '
        for link in eth0 wlan0 lo; do ip link set $link down; done
        ip route flush table all; ip -6 route flush table all; ip rule flush; ip link del eth0; ip link add x type veth
        ip address flush dev wlan0; sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.disable_ipv6=1
        ip link show eth0 || echo gone' >out 2>&1
      grep -q gone out || cat out
      ip address add 10.98.0.1/32 dev lo
      for i in $(seq 1000); do grep -q 10.98.0.1 seen && break; sleep 0.01; done
      # The kernel forgets the link-layer addresses of multicast groups by itself.
      kill $monitor; grep -v '^.NEIGH.* NOARP' seen; rm -r $d
      """)
    // What follows the first addresses is the last one: nothing between them concerns another link.
    #expect(lines.contains("10.99.0.") && lines.contains("10.98.0.1"), "\(lines)")
    #expect(!lines.contains("eth0") && !lines.contains("wlan0") && !lines.contains("eleted"), "\(lines)")
    #expect(try network.sh("cat /proc/sys/net/ipv4/ip_forward") == "0\n")
  }

  @Test(
    arguments: [
      ("unshare -n true", "Operation not permitted"), ("unshare -U true", "Operation not permitted"),
      ("mount -t tmpfs none /mnt", "permission denied"),
      ("umount /proc", "must be superuser|Operation not permitted|denied"),
      ("nsenter -t 1 -n true", "Operation not permitted|Permission denied"),
      ("chroot / true", "Operation not permitted"),
      ("touch /etc/rehearsal", "Read-only file system"), ("rm -f /usr/bin/env", "Read-only file system"),
      ("mknod /tmp/null c 1 3", "Operation not permitted"), ("cat /proc/1/environ", "Permission denied"),
      ("ls /proc/1/fd", "Permission denied"), ("ls /proc/1/root/", "Permission denied"),
      ("hostname other", "Operation not permitted|must be superuser|you must be root"),
      ("date -s 2001-01-01", "Operation not permitted"), ("dmesg", "Operation not permitted"),
      ("sysctl -w kernel.hostname=x", "Permission denied|permission denied|Read-only"),
      ("su nobody -s /bin/true", "su: .*"), ("ip netns exec none true", "Cannot open network namespace"),
      ("ip link set eth0 netns 1 && ip link show eth0 | grep -c eth0", "1|Invalid|does not exist"),
    ])
  func `what would leave it is refused`(_ script: String, _ pattern: String) throws {
    let text = try inside("\(script) >&2 2>&1 || true; true")
    #expect(try text.firstMatch(of: Regex(pattern)) != nil, "\(text)")
  }

  @Test(
    arguments: [
      "socket.socket(socket.AF_UNIX)", "socket.socket(socket.AF_VSOCK)", "socket.socket(socket.AF_ALG)",
      "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
      "socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)", "os.memfd_create(chr(120))",
      "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)",
      "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)",
      "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 6)",
      "fcntl.ioctl(0, 0x5412, bytes(1))", "libc.syscall(425, 8, 0)", "libc.syscall(435, 0, 0)",
      "libc.syscall(272, 0x40000000)",
    ])
  func `system calls that lead out of it fail`(_ call: String) throws {
    let text = try inside(
      """
      python3 - <<'END'
      import ctypes, errno, fcntl, os, socket, sys
      libc = ctypes.CDLL(None, use_errno=True)
      try:
          result = eval(compile('\(call)', '', 'eval'))
          print("failed" if result == -1 else "passed", file=sys.stderr)
      except OSError as error:
          print("failed", error, file=sys.stderr)
      END
      """)
    #expect(text.hasPrefix("failed"), "\(text)")
  }

  @Test func `a socket in the file system receives nothing`() throws {
    // Outside of the folders that are hidden.
    let folder = URL(filePath: "/srv/\(UUID().uuidString)")
    guard (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)) != nil
    else { return }
    defer { try? FileManager.default.removeItem(at: folder) }
    let network = try NetworkNamespace.sample()
    let text = try network.sh(
      """
      cd '\(folder.path)'; chmod 777 .
      timeout 20 python3 -c "
      import socket, subprocess, os
      s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind('s'); os.chmod('s', 0o777); s.settimeout(0.5)
      code = '''import socket
      try:
          a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW); a.sendto(b'x', '\(folder.path)/s'); print('sent')
      except OSError as e: print('refused', e)'''.replace(chr(10) + '      ', chr(10))
      print(subprocess.run(['\(try Executable("reachability-rehearse").path)', '--', 'python3', '-c', code], capture_output=True).stderr)
      try: print('received', s.recv(9))
      except TimeoutError: print('nothing')
      "
      """)
    #expect(text.contains("refused") && text.hasSuffix("nothing\n"), "\(text)")
  }

  @Test func `it has no rights elsewhere, no environment, and no descriptors of the caller`() throws {
    let network = try NetworkNamespace.sample()
    let outcome = try rehearse(
      "--", "sh", "-c",
      "grep -E '^(Cap|NoNewPrivs|Seccomp:|Uid)' /proc/self/status; env | sort; ls -l /proc/self/fd | tail -n +2 | wc -l; cat /dev/stdin",
      in: network, environment: ["SECRET": "x", "LD_PRELOAD": ""], through: "exec 9</etc/passwd; exec \"$@\"")
    #expect(
      outcome.errors.contains(
        "CapPrm:\t0000000000003000\nCapEff:\t0000000000003000\nCapBnd:\t0000000000003000\n"))
    #expect(
      outcome.errors.contains("NoNewPrivs:\t1\nSeccomp:\t2\n")
        && outcome.errors.contains("Uid:\t0\t0\t0\t0\n"))
    #expect(!outcome.errors.contains("SECRET") && !outcome.errors.contains("LD_PRELOAD"))
    // The three streams, and the one with which ls reads.
    #expect(outcome.errors.hasSuffix("\n4\n"), "\(outcome.errors)")
  }

  @Test func `a fork bomb and a command that ignores signals end with their time`() throws {
    let network = try NetworkNamespace.sample()
    for script in ["b() { b | b & }; b; sleep 60", "trap '' TERM INT HUP; while :; do :; done"] {
      let outcome = try rehearse("--timeout", "1500ms", "--", "bash", "-c", script, in: network)
      #expect(
        outcome.status == 2 && outcome.errors.contains("'bash' did not end in time"),
        "\(outcome.errors.suffix(500))")
    }
    #expect(
      try !network.shell("pgrep -x reachability-ce").standardOutput.contains("\n") || Self.isFree(network))
  }

  /// Whether the cells of ended rehearsals are gone; others may run beside.
  private static func isFree(_ network: NetworkNamespace) throws -> Bool {
    try network.shell(
      "for i in $(seq 200); do pgrep -f 'b | b &|trap .. TERM' >/dev/null || exit 0; sleep 0.05; done; exit 1"
    ).status == 0
  }

  @Test func `nothing is left behind after kill -9`() throws {
    let network = try NetworkNamespace.sample()
    let mark = "98765\(getpid())"
    let command = try RunningCommand(
      ["--timeout", "60s", "--", "sh", "-c", "sleep \(mark) & echo started; sleep \(mark)"],
      of: "reachability-rehearse",
      in: network)
    let count =
      "for i in $(seq 400); do [ $(pgrep -cf '^sleep \(mark)') = COUNT ] && exit 0; sleep 0.05; done; exit 1"
    try network.sh(count.replacing("COUNT", with: "2"))
    command.send(SIGKILL)
    _ = try command.finish()
    try network.sh(count.replacing("COUNT", with: "0"))
  }

  @Test func `memory, files and output have limits`() throws {
    let network = try NetworkNamespace.sample()
    let text = try inside(
      "python3 -c 'bytearray(2 << 30)' 2>&1 | tail -n 1; head -c 200M /dev/zero 2>&1 >/tmp/big; ls -l /tmp/big | cut -d' ' -f5; "
        + "yes | head -c 3000000", in: network)
    #expect(text.hasPrefix("MemoryError\n"), "\(text.prefix(300))")
    #expect(text.contains("\n67108864\n"), "\(text.prefix(300))")
    #expect(text.utf8.count < 1 << 21 && text.contains("the rest of the output is left out"))
  }
}
