#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
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
