#if os(Linux)
import Netlink
import POSIX

/// The announcements of changed IPsec policies, which take `CAP_NET_ADMIN`.
struct PolicyAnnouncements: ~Copyable, Sendable {
  private let transport: KernelTransport
  private var client: PolicyClient

  /// Joins the group; throws if that is not permitted.
  init(over transport: KernelTransport) throws(Errno) {
    try transport.setMembership(.policies, joined: true)
    self.transport = transport
    client = PolicyClient(over: transport)
  }

  /// Opens a socket in the calling thread's network namespace; returns `nil` where the kernel has no IPsec policies.
  ///
  /// A socket alone would load the kernel's module, so it is opened only where the module is loaded.
  static func transport() -> KernelTransport? {
    guard let sockets = try? SystemFile.contents(of: "/proc/thread-self/net/netlink", upTo: 1 << 16),
      hasKernelSocket(String(decoding: sockets, as: UTF8.self))
    else { return nil }
    return try? KernelTransport(.ipsec)
  }

  /// Whether a list of netlink sockets has the kernel's own one for IPsec: protocol 6, and port 0.
  static func hasKernelSocket(_ list: String) -> Bool {
    list.split(separator: "\n").contains { line in
      let words = line.split(separator: " ")
      return words.count > 2 && words[1] == "6" && words[2] == "0"
    }
  }

  var descriptor: CInt { transport.pollDescriptor }

  /// Reads all waiting announcements; returns whether there were any, or some were lost.
  func take() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 512)
    var hasNews = false
    while true {
      do throws(Errno) {
        _ = try transport.receive(into: &buffer, blocking: false)
        hasNews = true
      } catch {
        guard error == .noBufferSpace else { return hasNews }
        hasNews = true
      }
    }
  }

  /// Returns whether there are policies for outgoing packets; `nil` if the kernel does not tell.
  mutating func hasPolicies() -> Bool? { (try? client.outgoingCount()).map { $0 > 0 } }
}
#endif
