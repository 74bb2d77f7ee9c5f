// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import Testing

/// Another process that speaks rtnetlink, in a network namespace.
struct Stranger {
  private let network: NetworkNamespace

  init(in network: NetworkNamespace) {
    self.network = network
  }

  /// Runs a script and returns the lines that it printed.
  ///
  /// - Parameters:
  ///   - script: Python, appended to the functions that build messages.
  ///   - prefix: The command that starts it, for example `setpriv …`.
  func run(_ script: String, prefix: String = "") throws -> [String] {
    let text = try network.sh("exec \(prefix) /usr/bin/python3 - <<'END'\n\(Self.library)\n\(script)\nEND")
    return text.split(separator: "\n").map(String.init)
  }

  /// The subsystem of IPsec, `NETLINK_XFRM`.
  static let ipsec = 6

  /// A netlink socket that is open in the namespace.
  struct Socket {
    /// The subsystem of the kernel, `NETLINK_…`.
    var netlinkProtocol: Int
    var port: UInt32
    /// Whether it is a member of any group.
    var listens: Bool
  }

  /// Returns the netlink sockets of all processes in the namespace.
  func sockets() throws -> [Socket] {
    try network.sh("cat /proc/thread-self/net/netlink").split(separator: "\n").dropFirst().compactMap {
      line in
      let words = line.split(separator: " ")
      // The kernel's sockets have port 0.
      guard let number = Int(words[1]), let port = UInt32(words[2]), port != 0 else { return nil }
      return Socket(netlinkProtocol: number, port: port, listens: words[3] != "00000000")
    }
  }

  private static let library = """
    import errno, os, socket, struct, sys

    NEWLINK, DELLINK, NEWADDR, DELADDR, NEWROUTE, DELROUTE, DELRULE, DELNEXTHOP = 16, 17, 20, 21, 24, 25, 33, 105
    REQUEST, ACK, ECHO = 1, 4, 8

    def attribute(kind, value):
        return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)

    def message(kind, body, flags=0, sequence=0, port=0):
        return struct.pack("=IHHII", 16 + len(body), kind, flags, sequence, port) + body

    def link(name, flags=0):
        body = struct.pack("=BxHiII", 0, 1, socket.if_nametoindex(name), flags, 0xffffffff)
        return body + attribute(3, name.encode() + b"\\0") + attribute(16, b"\\x02")

    def address(text, length, name):
        body = struct.pack("=BBBBi", socket.AF_INET, length, 0x80, 0, socket.if_nametoindex(name))
        return body + attribute(1, socket.inet_aton(text)) + attribute(2, socket.inet_aton(text))

    def default_route(gateway, name):
        body = struct.pack("=BBBBBBBBI", socket.AF_INET, 0, 0, 0, 254, 3, 0, 1, 0)
        gateway = attribute(5, socket.inet_aton(gateway))
        return body + gateway + attribute(4, struct.pack("=i", socket.if_nametoindex(name)))

    def open_socket(port=0, protocol=0):
        opened = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
        opened.bind((port, 0))
        return opened

    def ask(opened, request):
        opened.send(request)
        while True:
            answer = opened.recv(65536)
            if struct.unpack_from("=H", answer, 4)[0] == 2:
                return struct.unpack_from("=i", answer, 16)[0]
    """
}
#endif
