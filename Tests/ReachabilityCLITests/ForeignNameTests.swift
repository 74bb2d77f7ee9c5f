// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// Names of interfaces and namespaces whose bytes are not UTF-8.
@Suite(.needsNamespaces, .deadline) struct `Names that are not UTF-8` {
  private static let cables = #"""
    for end in 376 377; do
      name=$(printf "x\\$end")
      ip link add "$name" type veth peer name "p$end"
      ip link set "$name" addrgenmode none
      ip link set "p$end" up
      ip link set "$name" up
    done
    ip addr add 10.4.0.1/24 dev "$(printf 'x\377')"
    ip addr add fe80::4/64 dev "$(printf 'x\377')" nodad
    """#

  /// Runs the command with arguments that a shell prints.
  private func run(_ words: String, in network: NetworkNamespace) throws -> Outcome {
    try RunningCommand([], in: network, through: #""$@" \#(words)"#).finish()
  }

  @Test func `an interface is found by the bytes of its name`() throws {
    let network = try NetworkNamespace.wired()
    try network.sh(Self.cables)
    let line = "10.4.0.2  reachable      x\u{fffd} (wired) from 10.4.0.1\n"
    #expect(
      try run(#"check 10.4.0.2 --interface "$(printf 'x\377')""#, in: network)
        == Outcome(status: 0, output: line))
    #expect(
      try run(#"check 10.4.0.2 "--interface=$(printf 'x\377')""#, in: network)
        == Outcome(status: 0, output: line))
    // The replacement character is another name.
    #expect(
      try run(#"check 10.4.0.2 --interface "$(printf 'x\357\277\275')""#, in: network)
        == Outcome(status: 1, output: "10.4.0.2  not reachable  no such interface\n"))
    #expect(
      try run(#"check 10.4.0.2 --interface "$(printf 'x\376')""#, in: network).output
        .contains("x\u{fffd} (wired)") == false)
  }

  @Test func `a zone is found by the bytes of its name`() throws {
    let network = try NetworkNamespace.wired()
    try network.sh(Self.cables)
    let found = try run(#"check "$(printf 'fe80::2%%x\377')""#, in: network)
    #expect(
      found
        == Outcome(status: 0, output: "fe80::2%x\u{fffd}  reachable      x\u{fffd} (wired) from fe80::4\n"))
    #expect(try run(#"check "$(printf '[fe80::2%%x\377]')""#, in: network).status == 0)
    let both = try run(
      #"check "$(printf 'fe80::2%%x\377')" --interface "$(printf 'x\376')""#, in: network)
    #expect(both.status == 2)
    #expect(both.errors.contains("differs from --interface"), "\(both.errors)")
  }

  @Test func `a namespace is found by the bytes of its name`() throws {
    let outside = try NetworkNamespace()
    try outside.hideFolders("/run")
    try outside.sh(#"ip netns add "$(printf 'n\377')" && ip -n "$(printf 'n\377')" link set lo up"#)
    for word in [#"n\377"#, #"/run/netns/n\377"#] {
      #expect(
        try run(#"check 127.0.0.1 --namespace "$(printf '\#(word)')""#, in: outside)
          == Outcome(status: 0, output: "127.0.0.1  reachable      lo (loopback) from 127.0.0.1\n"))
    }
    #expect(
      try run(#"check 127.0.0.1 --namespace "$(printf 'n\376')""#, in: outside).errors
        .contains("there is no network namespace 'n\u{fffd}'"))
  }
}
#endif
