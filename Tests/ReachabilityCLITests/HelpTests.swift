#if os(Linux)
import CommandSupport
import DeadlineSupport
import Testing

@Suite(.deadline) struct `Help and version` {
  @Test(arguments: [
    ["--help"], ["-h"], ["watch", "--help"], ["10.1.0.1", "--help", "--count", "4"], ["--version", "--help"],
  ])
  func `the help is printed as data, whatever else is asked`(_ arguments: [String]) throws {
    try #expect(RunningCommand(arguments).finish() == Outcome(status: 0, output: helpText))
  }

  @Test(arguments: [["--version"], ["wait", "example.com", "--version"], ["--json", "--version"]])
  func `the version is printed as data`(_ arguments: [String]) throws {
    try #expect(RunningCommand(arguments).finish() == Outcome(status: 0, output: "reachability 0.1.0\n"))
  }

  @Test func `the help lists every option that the command accepts`() throws {
    let hint = try reachability("--frob").errors
    let accepted = Set(hint.matches(of: /--[a-z]+(?: [A-Z]+)?/).map { String($0.output) })
    let listed = helpText.split(separator: "\n").compactMap {
      $0.firstMatch(of: #/^  (--[a-z]+(?: [A-Z]+)?) /#)
    }
    #expect(Set(listed.map { String($0.output.1) }) == accepted.subtracting(["--frob"]))
  }
}

private let helpText = """
  Tells whether packets can leave this machine for a target, through which interface, and if not, why not.
  It does not tell whether anyone answers, unless it is asked to try: explain --probe.

  Usage: reachability [check] [TARGET…] [OPTION…]
         reachability watch [TARGET…] [--count N] [--timeout D] [OPTION…]
         reachability wait [TARGET…] [--timeout D] [--until STATE] [OPTION…]
         reachability path [--watch [--count N] [--timeout D]] [--require KIND] [--prohibit KIND]… [--json]
         reachability explain [TARGET [--probe PORT [--timeout D]]] [OPTION…]
         reachability verify TARGET… [OPTION…]

  Commands:
    check   print each target's status and reason (the default command)
    watch   print the present status of each target, then each change, with the time
    wait    return as soon as all targets are reachable (or unreachable)
    path    print by which interfaces packets leave this machine in general, or what is wrong with each
    explain print what decides a target's status, step by step, and for what is wrong, what to do
    verify  ask URLs or TCP ports, and tell whether they answer as expected, or a captive portal does

  What 'verify' takes it says itself: reachability verify --help. It is a command apart, reachability-verify,
  which sends requests to the targets that are named.

  A target is an IPv4 or IPv6 address, a link-local address with its zone (fe80::1%eth0), a host name, a URL, or
  'default' for the default route, which is also meant if there is no target. A URL also gives the protocol and
  the port that policy rules may select by: https://example.com, tcp://10.9.0.1:22, udp://[fd00::1]:53.
  A host is as reachable as the best of the addresses that its name stands for; each is shown with its own status.

  Options for all commands but verify:
    --json            print one JSON object a line
    --namespace NS    in another network namespace: a name of 'ip netns', a process's number, or a path
    --help            print this text (also -h)
    --version         print the version

  Options for check, watch, wait and explain:
    --interface NAME  only by this interface (any of its names, or its index; it may come and go)
    --from ADDRESS    only from this local address
    --mark N          as packets with this firewall mark (such as 66 or 0x42)
    --settle D        watch and wait: tell a change only when it has lasted this long

  Options for explain:
    --probe PORT      also connect to this TCP port of the target, and ask the name servers for its name; without
                      it only the name is looked up. The route is explained for this port, not a URL's
    --timeout D       with --probe: give up after this long (10s)

  Options for watch, wait and path:
    --count N         watch, path --watch: end after this many statuses, or paths
    --timeout D       end after this long
    --until STATE     wait: for 'reachable' (the default) or 'unreachable'
    --watch           path: print the present path, then each change
    --require KIND    path: only by interfaces of this kind
    --prohibit KIND   path: not by interfaces of this kind; may be given several times

  A KIND is 'wired', 'wifi', 'cellular', 'bluetooth', 'loopback' or 'other'.

  A duration D is a whole number with a unit: 500ms, 30s, 2m, 1h. Options may stand before or after targets.

  Exit status: 0 all targets reachable (check, explain; with --probe, connected to), what was waited for has come
               (wait), satisfied (path), verified (verify), the end (watch, path --watch, verify --watch);
               1 some target not reachable (check, explain), timed out (wait), not satisfied (path), not verified
               (verify);
               2 wrong usage or trouble.

  """
#endif
