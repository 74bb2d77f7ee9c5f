#if os(Linux)
import Dispatch
import Netlink
import POSIX
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Finds out which source the kernel gives an IPv6 socket; rtnetlink tells that only where there is a route without one.
///
/// The socket is connected and let go again, so that nothing is sent and it keeps no port.
struct SourceChooser: ~Copyable, Sendable {
  private var datagrams: FileDescriptor
  /// The user whom the socket belongs to, who is that of the moment it was opened.
  private var user: UInt32?
  /// Starts threads in the socket's network namespace.
  private let threads: ThreadStarter

  /// Opens a socket in the calling thread's network namespace; throws where there is no IPv6.
  init(threads: @escaping ThreadStarter) throws(Errno) {
    user = SocketUser.current
    datagrams = try FileDescriptor(owning: Self.open())
    self.threads = threads
  }

  private static func open() -> CInt {
    socket(AF_INET6, SocketKind.datagrams.rawValue | DescriptorFlags.closeOnExec.rawValue, 0)
  }

  /// Opens a socket of a user, who may be another one than the calling thread's if that has the right to choose.
  private static func open(for user: UInt32?) -> CInt {
    let descriptor = open()
    guard descriptor >= 0, let user, fchown(descriptor, user, .max) != 0 else { return descriptor }
    _ = close(descriptor)
    return -1
  }

  /// Has a user's sockets answer from now on, if they are others than before; returns whether they do.
  mutating func become(_ user: UInt32?) -> Bool {
    guard user != self.user else { return true }
    // The calling thread may be in another namespace.
    let opening = Opening()
    do {
      try threads("socket") {
        opening.descriptor.store(Self.open(for: user), ordering: .sequentiallyConsistent)
        opening.isDone.signal()
      }
      opening.isDone.wait()
      datagrams = try FileDescriptor(owning: opening.descriptor.load(ordering: .sequentiallyConsistent))
    } catch {
      return false
    }
    self.user = user
    return true
  }

  /// Where one thread opens a socket for another one, which waits.
  private final class Opening: Sendable {
    let descriptor = Atomic<CInt>(-1)
    let isDone = DispatchSemaphore(value: 0)
  }

  /// Answers which source a socket gets that is connected to the destination of a question, with its constraints.
  mutating func answer(to question: RouteQuestion) -> RouteAnswer {
    do throws(Errno) {
      defer { reset() }
      // The mark takes rights that asking does not.
      if let interface = question.interface { try datagrams.setOption(.interfaceIndex, UInt32(interface)) }
      if let mark = question.mark, mark != 0 { try datagrams.setOption(.mark, mark) }
      return .route(RouteReply(.local, source: try connect(to: question.destination)))
    } catch {
      return .refused(RouteAnswer.Refusal(error))
    }
  }

  private func connect(to destination: IPAddress) throws(Errno) -> IPAddress? {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    // The port for what is to be thrown away, in network order; any would do.
    address.sin6_port = in_port_t(9).bigEndian
    unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: destination.octets) }
    guard connect(&address) == 0 else { throw .last }
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(datagrams.rawValue, $0, &size)
      }
    }
    guard result == 0 else { throw .last }
    return IPAddress(octets: unsafe withUnsafeBytes(of: address.sin6_addr) { unsafe Array($0) })
  }

  private func connect(_ address: inout sockaddr_in6) -> CInt {
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Self.connect(datagrams.rawValue, $0)
      }
    }
  }

  /// The system call, which has the name of the functions above.
  private static func connect(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>) -> CInt {
    #if canImport(Glibc)
    unsafe Glibc.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in6>.size))
    #elseif canImport(Musl)
    unsafe Musl.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in6>.size))
    #endif
  }

  /// Undoes the connection, and with it the choice of an interface and of a port.
  private func reset() {
    var nobody = sockaddr_in6()
    nobody.sin6_family = sa_family_t(AF_UNSPEC)
    _ = connect(&nobody)
    try? datagrams.setOption(.mark, 0)
  }
}
#endif
