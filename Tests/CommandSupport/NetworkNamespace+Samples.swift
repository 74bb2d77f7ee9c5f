// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport

extension NetworkNamespace {
  /// Creates a network with lines of `ip` commands, and waits until the named links are up and addresses are in use.
  package static func made(by lines: String, awaiting links: String...) throws -> NetworkNamespace {
    let network = try NetworkNamespace()
    try network.batch(lines)
    for link in links { try network.wait(until: link, shows: "state UP") }
    try network.awaitAddresses()
    return network
  }

  /// A shared network with a route of each kind, for tests that change nothing.
  package static func sample() throws -> NetworkNamespace { try sampleNetwork.get() }

  /// Creates a network with a wired interface, an address of each family and no default route.
  package static func wired() throws -> NetworkNamespace {
    try .made(by: wire, awaiting: "eth0")
  }

  /// Runs lines of `ip` commands in one process, with little time between them.
  package func batch(_ lines: String) throws {
    try sh("ip -batch - <<'END'\n\(lines)\nEND")
  }

  /// Waits for a link's carrier or its loss, which the kernel announces up to a second later.
  package func wait(until link: String, shows text: String) throws {
    try sh("for i in $(seq 2000); do ip link show \(link) | grep -q '\(text)' && exit; done; exit 1")
  }
}

private let wire = """
  link set lo up
  link add eth0 type veth peer name peer0
  link set eth0 addrgenmode none
  link set peer0 addrgenmode none
  link set peer0 up
  link set eth0 up
  address add 10.1.0.1/24 dev eth0
  address add fd00:1::1/64 dev eth0 nodad
  address add fe80::1/64 dev eth0 nodad
  """

private let sampleNetwork = Result {
  try NetworkNamespace.made(
    by: wire + "\n"
      + """
      link add wire1 type veth peer name peer1
      link set wire1 addrgenmode none
      link set peer1 addrgenmode none
      link set peer1 up
      link set wire1 up
      address add 10.2.0.1/24 dev wire1
      link add loose type veth peer name end
      link set loose addrgenmode none
      link set loose up
      address add 10.3.0.1/24 dev loose
      link add off type veth peer name end1
      address add 10.4.0.1/24 dev off
      route add 10.9.0.0/16 via 10.1.0.254
      route add blackhole 10.66.1.0/24
      route add unreachable 10.66.2.0/24
      route add prohibit 10.66.3.0/24
      route add default via 10.1.0.254 metric 7
      rule add from 10.2.0.1 table 67
      route add default via 10.2.0.253 table 67
      route add throw 10.8.0.0/16 table 67
      rule add fwmark 0x42 table 66
      route add 10.9.0.0/16 via 10.2.0.254 table 66
      """, awaiting: "eth0", "wire1")
}
#endif
