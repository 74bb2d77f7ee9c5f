// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import Netlink
import POSIX

/// Finds the source address that the kernel gives an IPv6 socket, and whether it allows any.
///
/// rtnetlink names it only if a route exists for packets without a source. The socket is connected and disconnected
/// again, which sends nothing and keeps no port.
struct SourceChooser: ~Copyable, Sendable {
  private(set) var datagrams: FileDescriptor
  /// A socket of another protocol, opened when an IPsec policy blocks the first one.
  var other: FileDescriptor?
  /// The user that the socket belongs to: that of the moment it was opened.
  private var user: UInt32?
  /// The setting that allows any source; opened when it first matters, and `nil` inside if it cannot be read.
  private var anySource: OpenFile??
  /// Starts threads in the socket's network namespace.
  let threads: ThreadStarter

  /// Opens a socket in the calling thread's network namespace; throws if the kernel lacks IPv6.
  init(threads: @escaping ThreadStarter) throws(Errno) {
    user = SocketUser.current
    datagrams = try FileDescriptor(owning: Self.open())
    self.threads = threads
  }

  /// Uses a socket of another network, where no other one can be opened.
  init(over datagrams: consuming FileDescriptor) {
    user = SocketUser.current
    self.datagrams = datagrams
    anySource = .some(nil)
    threads = { _, _ throws(ReachabilityMonitorError) in
      throw ReachabilityMonitorError(.systemUnavailable, description: "no thread can be in this network")
    }
  }

  private static func open(protocol number: CInt = 0) -> CInt {
    let kind = SocketKind.datagrams.rawValue | DescriptorFlags.closeOnExec.rawValue
    let descriptor = socket(AF_INET6, kind, number)
    // A kernel without IPv6 has IPsec policies, too.
    return descriptor < 0 && errno == EAFNOSUPPORT ? socket(AF_INET, kind, number) : descriptor
  }

  /// The port to connect to, that of the discard protocol; any other would do.
  private static var port: in_port_t { 9 }

  /// Opens a socket for a user; a privileged thread may open it for another user than its own.
  private static func open(for user: UInt32?) -> CInt {
    let descriptor = open()
    guard descriptor >= 0, let user, fchown(descriptor, user, .max) != 0 else { return descriptor }
    _ = close(descriptor)
    return -1
  }

  /// Replaces the socket if it belongs to another user; returns whether it now belongs to this one.
  mutating func switchUser(to user: UInt32?) -> Bool {
    guard user != self.user else { return true }
    // The calling thread may be in another network namespace.
    let opening = Handover<CInt>()
    do {
      try threads("socket") { opening.fulfil(Self.open(for: user)) }
      datagrams = try FileDescriptor(owning: opening.wait())
    } catch {
      return false
    }
    self.user = user
    return true
  }

  /// Returns whether IPv6 sockets can be bound to any address now; the kernel does not announce a change.
  mutating func allowsAnySource() -> Bool {
    if anySource == nil {
      let opening = Handover<OpenFile?>()
      anySource = .some(nil)
      if (try? threads("setting") { opening.fulfil(try? OpenFile("/proc/sys/net/ipv6/ip_nonlocal_bind")) })
        != nil
      {
        anySource = .some(opening.wait())
      }
    }
    let text = (anySource ?? nil).flatMap { try? $0.contents(upTo: 16) }
    return text?.first.map { $0 != UInt8(ascii: "0") } ?? false
  }

  /// Opens a socket of UDP-Lite (RFC 3828) in the network namespace; returns `nil` where the kernel has none.
  func openOther() -> FileDescriptor? {
    let opening = Handover<CInt>()
    do {
      try threads("socket") { opening.fulfil(Self.open(protocol: 136)) }
      return try FileDescriptor(owning: opening.wait())
    } catch {
      return nil
    }
  }

  /// Returns the source of a socket that connects to a question's destination with its constraints.
  mutating func source(for question: RouteRequest) -> RouteAnswer {
    do throws(Errno) {
      defer { reset() }
      if let index = question.interface { try datagrams.setOption(.interfaceIndex, UInt32(index)) }
      if let mark = question.mark, mark != 0 { try datagrams.setOption(.mark, mark) }
      var route = RouteMessage()
      route.preferredSource = try source(towards: question.destination)
      return .success(route)
    } catch {
      return .failure(RouteRefusal(error))
    }
  }

  private func source(towards destination: ReachabilityAddress) throws(Errno) -> ReachabilityAddress? {
    if let error = connect(datagrams.rawValue, to: destination, port: nil) { throw error }
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(datagrams.rawValue, $0, &size)
      }
    }
    guard result == 0 else { throw .last }
    return ReachabilityAddress(octets: unsafe withUnsafeBytes(of: address.sin6_addr) { unsafe Array($0) })
  }

  /// Connects a socket; IPv4 addresses are mapped.
  func connect(_ descriptor: CInt, to destination: ReachabilityAddress, port: UInt16?) -> Errno? {
    let port = (port ?? Self.port).bigEndian
    let octets = destination.octets
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port
    let mapped = octets.count == 4 ? [UInt8](repeating: 0, count: 10) + [0xff, 0xff] + octets : octets
    unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: mapped) }
    if setPeer(of: descriptor, &address) == 0 { return nil }
    let error = Errno.last
    guard error == .familyNotSupported, octets.count == 4 else { return error }
    // The socket of a kernel without IPv6.
    var plain = sockaddr_in()
    plain.sin_family = sa_family_t(AF_INET)
    plain.sin_port = port
    unsafe withUnsafeMutableBytes(of: &plain.sin_addr) { unsafe $0.copyBytes(from: octets) }
    let result = unsafe withUnsafePointer(to: &plain) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe CLibrary.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return result == 0 ? nil : .last
  }

  private func setPeer(of descriptor: CInt, _ address: inout sockaddr_in6) -> CInt {
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe CLibrary.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
  }

  /// Disconnects a socket, which also unbinds it from its interface and port.
  func disconnect(_ descriptor: CInt) {
    var unspecified = sockaddr_in6()
    unspecified.sin6_family = sa_family_t(AF_UNSPEC)
    _ = setPeer(of: descriptor, &unspecified)
  }

  private func reset() {
    disconnect(datagrams.rawValue)
    try? datagrams.setOption(.mark, 0)
  }
}

extension SourceChooser {
  /// Whether an IPsec policy blocks the packets of a socket that connects as a question says.
  ///
  /// Connecting looks policies up, and sends nothing. A policy for one port only is of no concern to other ports: the
  /// port is that of the discard protocol unless the packets are UDP. A policy for UDP alone is of no concern to TCP: where
  /// another protocol than UDP passes, nothing is blocked.
  ///
  /// - Returns: Also `false` if that can't be tried.
  mutating func isBlocked(_ question: RouteRequest) -> Bool {
    guard isRefused(question, on: datagrams.rawValue) else { return false }
    if question.transport == .udp { return true }
    if other == nil { other = openOther() }
    guard let descriptor = other?.rawValue else { return true }
    return isRefused(question, on: descriptor)
  }

  private func isRefused(_ question: RouteRequest, on descriptor: CInt) -> Bool {
    if let index = question.interface, !setOption(.interfaceIndex, UInt32(index), on: descriptor) {
      return false
    }
    let mark = question.mark ?? 0
    if mark != 0, !setOption(.mark, mark, on: descriptor) { return false }
    let port = question.transport == .udp ? question.destinationPort : nil
    let isRefused = connect(descriptor, to: question.destination, port: port) == .notPermitted
    disconnect(descriptor)
    if mark != 0 { _ = setOption(.mark, 0, on: descriptor) }
    return isRefused
  }

  private func setOption(_ option: SocketOption, _ value: UInt32, on descriptor: CInt) -> Bool {
    var value = value
    return unsafe setsockopt(descriptor, option.level, option.name, &value, 4) == 0
  }
}
#endif
