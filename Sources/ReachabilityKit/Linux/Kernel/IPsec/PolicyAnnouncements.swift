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
  ///
  /// - Throws: The error of a broken socket, which would end every wait immediately.
  func take() throws(Errno) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 512)
    var hasNews = false
    while true {
      do throws(Errno) {
        // Only the kernel is believed.
        if try transport.receive(into: &buffer, blocking: false).senderPort == 0 { hasNews = true }
      } catch {
        if error == .wouldBlock { return hasNews }
        guard error == .noBufferSpace else { throw error }
        hasNews = true
      }
    }
  }

  /// Returns whether any policy blocks outgoing packets; `nil` if the kernel does not tell.
  mutating func hasBlocks() -> Bool? {
    guard let count = try? client.outgoingCount() else { return nil }
    if count == 0 { return false }
    return (try? client.outgoing()).map { $0.contains(where: \.blocks) }
  }
}
#endif
