// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

@Suite(.needsNamespaces, .deadline) struct `Other network namespaces` {
  private static let line = "10.9.0.1  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1\n"

  @Test(arguments: [["check"], [], ["--json"]])
  func `a namespace queried from outside gives the same answer as inside`(
    _ arguments: [String]
  ) throws {
    let network = try NetworkNamespace.sample()
    let inside = try RunningCommand(arguments + ["10.9.0.1"], in: network).finish()
    let outside = try RunningCommand(
      arguments + ["10.9.0.1", "--namespace", network.path], in: NetworkNamespace()
    ).finish()
    #expect(outside == inside)
    #expect(outside.status == 0)
    if arguments == ["check"] { #expect(outside.output == Self.line) }
  }

  @Test func `a process ID names the namespace of the process`() throws {
    let command = try RunningCommand(
      ["10.9.0.1"], in: .sample(),
      through: """
        sleep 60 <&- >&- 2>&- &
        unshare --net "$@" --namespace $!
        status=$?
        kill $!
        exit $status
        """)
    try #expect(command.finish() == Outcome(status: 0, output: Self.line))
  }

  @Test func `a name of 'ip netns' works with each command`() throws {
    let outside = try NetworkNamespace()
    try outside.hideFolders("/run")
    try outside.sh("ip netns add blue && ip -n blue link set lo up")
    try #expect(
      reachability("127.0.0.1", "--namespace", "blue", in: outside)
        == Outcome(status: 0, output: "127.0.0.1  reachable      lo (loopback) from 127.0.0.1\n"))
    try #expect(
      reachability("wait", "127.0.0.1", "--namespace=blue", in: outside) == Outcome(status: 0))
    let watch = try RunningCommand(
      ["watch", "10.9.0.1", "--count", "2", "--namespace", "blue"], in: outside)
    try #expect(watch.nextLine() == "TIME  10.9.0.1  not reachable  no route")
    try outside.ip("-n blue route add blackhole 10.9.0.0/16")
    try #expect(watch.nextLine() == "TIME  10.9.0.1  not reachable  a route or rule discards packets")
    try #expect(watch.finish().status == 0)
  }

  @Test(.needsOtherUser, .needsPython)
  func `a file of another user with a write lease delays no command`() throws {
    let folder = try RecordFolder()
    try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: folder.path)
    // The holder of a lease receives SIGIO and lets the other open the file after `/proc/sys/fs/lease-break-time`.
    let script = """
      import fcntl, os, signal, sys
      signal.signal(signal.SIGIO, signal.SIG_IGN)
      file = os.open(sys.argv[1] + "/blue", os.O_WRONLY | os.O_CREAT, 0o644)
      fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
      open(sys.argv[1] + "/ready", "w").close()
      signal.pause()
      """
    let holder = try RunningCommand(
      [folder.path],
      through: """
        shift; exec setpriv --reuid 65534 --regid 65534 --clear-groups --pdeathsig KILL \
        /usr/bin/python3 -c '\(script)' "$@"
        """)
    let deadline = ContinuousClock.now + .seconds(20)
    while !FileManager.default.fileExists(atPath: folder.path + "/ready") {
      try #require(ContinuousClock.now < deadline)
      usleep(1000)
    }
    try #expect(
      reachability("--namespace", "\(folder.path)/blue", "10.9.0.1", in: NetworkNamespace())
        == Outcome(status: 2, errors: "error: \(folder.path)/blue is not a network namespace\n"))
    holder.send(SIGKILL)
  }

  @Test(arguments: [
    (
      "blue",
      "there is no network namespace 'blue': could not open /run/netns/blue: No such file or directory"
    ),
    (
      "2147483647",
      "there is no process 2147483647: could not open /proc/2147483647/ns/net: No such file or directory"
    ),
    (
      "/nowhere/\u{1b}[1m",
      """
      there is no network namespace '/nowhere/\\u{1b}[1m': could not open /nowhere/\\u{1b}[1m: \
      No such file or directory
      """
    ),
    ("/proc/self/ns/mnt", "/proc/self/ns/mnt is not a network namespace"),
  ])
  func `a namespace that does not exist is an error`(_ namespace: String, _ error: String) throws {
    let outside = try NetworkNamespace()
    try outside.hideFolders("/run")
    for command in ["check", "watch", "wait"] {
      try #expect(
        reachability(command, "--namespace", namespace, in: outside)
          == Outcome(status: 2, errors: "error: \(error)\n"))
    }
  }
}
#endif
