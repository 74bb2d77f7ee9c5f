#if os(Linux)
import LiveSupport
import Testing

extension NetworkNamespace {
  /// Makes a network of its own with lines of `ip` commands, once the links named are up.
  package static func made(by lines: String, awaiting links: String...) throws -> NetworkNamespace {
    let network = try NetworkNamespace()
    try network.batch(lines)
    for link in links { try network.waitUntilUp(link) }
    return network
  }

  /// A network with one of everything that a route can say, for tests that change nothing.
  package static func sample() throws -> NetworkNamespace { try sampleNetwork.get() }

  /// A network with a wire, an address of each family and no default route.
  package static func wired() throws -> NetworkNamespace {
    try .made(by: wire, awaiting: "eth0")
  }

  /// Runs lines of `ip` commands in one process, so that they follow each other closely.
  package func batch(_ lines: String) throws {
    try sh("ip -batch - <<'END'\n\(lines)\nEND")
  }

  /// The kernel announces a link's carrier a moment after it made the link.
  private func waitUntilUp(_ link: String) throws {
    try sh("for i in $(seq 2000); do ip link show \(link) | grep -q 'state UP' && exit; done; exit 1")
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips tests where no network namespaces can be made, and says why.
  package static var needsNamespaces: Self {
    .enabled(if: NetworkNamespace.unavailable == nil, "\(NetworkNamespace.unavailable ?? "")")
  }

  /// Skips tests where the kernel makes no tunnels.
  package static var needsTunnels: Self {
    .enabled("the kernel makes no VXLAN interfaces") {
      guard NetworkNamespace.unavailable == nil else { return false }
      return try NetworkNamespace().shell(
        "ip link add name vpn0 type vxlan id 1 remote 10.0.0.1 dstport 4789"
      ).status
        == 0
    }
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
