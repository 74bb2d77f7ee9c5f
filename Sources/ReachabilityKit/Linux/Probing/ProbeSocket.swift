// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import Netlink
import POSIX
import Synchronization

/// A socket that is connected or connecting; its release closes it.
final class ProbeSocket: Sendable {
  let descriptor: FileDescriptor
  let family: ReachabilityAddress.Family

  /// Starts connecting in the calling thread's network namespace, without waiting.
  ///
  /// - Parameters:
  ///   - kind: The type of socket.
  ///   - target: The constraints: interface, source and mark.
  ///   - address: The remote address.
  ///   - port: The remote port.
  ///   - interface: The index of the target's interface; `nil` if it has none or does not exist.
  ///   - filter: The filter for received packets; errors that ICMP reports are not filtered.
  ///   - number: The number of the protocol; 0 for TCP or UDP.
  /// - Throws: The error if the attempt fails immediately.
  init(
    _ kind: SocketKind, to target: ReachabilityTarget, _ address: ReachabilityAddress, port: UInt16,
    interface: UInt32?,
    filter: SocketFilter? = nil, protocol number: CInt = 0
  ) throws(Errno) {
    family = address.family
    descriptor = try FileDescriptor.openSocket(
      family == .v4 ? AF_INET : AF_INET6, kind, flags: [.closeOnExec, .nonBlocking], protocol: number)
    try? descriptor.setOption(family == .v4 ? .ipv4Errors : .ipv6Errors, 1)
    if let filter { try descriptor.setFilter(filter) }
    if let interface {
      try descriptor.setOption(.interfaceIndex, interface)
    } else if target.interface != nil {
      throw .noDevice
    }
    if let mark = target.mark, mark != 0 { try descriptor.setOption(.mark, mark) }
    if let source = target.source {
      unsafe try call(address: source, port: 0) { unsafe bind($0, $1, $2) }
    }
    do throws(Errno) {
      unsafe try call(address: address, port: port) { unsafe connect($0, $1, $2) }
    } catch {
      guard [EINPROGRESS, EINTR].contains(error.rawValue) else { throw error }
    }
  }

  /// The descriptor to poll for output, which signals the outcome.
  var pollDescriptor: CInt { descriptor.rawValue }

  /// The error of the attempt once ``pollDescriptor`` has output or an error; `nil` means connected.
  var failure: Errno? {
    var error: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    guard unsafe getsockopt(descriptor.rawValue, SOL_SOCKET, SO_ERROR, &error, &size) == 0 else {
      return .last
    }
    return error == 0 ? nil : Errno(rawValue: error)
  }

  /// Whether this machine itself did not send what the socket repeats, at least twice.
  ///
  /// The kernel option is `TCP_INFO`.
  var isHeldBack: Bool {
    var bytes = [UInt8](repeating: 0, count: 512)
    var size = socklen_t(bytes.count)
    guard unsafe getsockopt(descriptor.rawValue, 6, 11, &bytes, &size) == 0,
      let metrics = try? TCPMetrics(decoding: RawSpan(_elements: bytes.span), in: 0..<Int(size))
    else { return false }
    return metrics.timeouts > 1 && metrics.isRepetitionHeldBack
  }

  /// The router or firewall that reported the error by ICMP; `nil` if none did or it is unknown.
  ///
  /// The source is `sock_extended_err` of `ip(7)`; the kernel reports it for TCP since 5.19.
  var reporter: ReachabilityAddress? {
    var control = [UInt8](repeating: 0, count: 256)
    let count = unsafe control.withUnsafeMutableBytes { buffer in
      var message = unsafe msghdr()
      unsafe message.msg_control = buffer.baseAddress
      unsafe message.msg_controllen = numericCast(buffer.count)
      let flags: TransferFlags = [.errorQueue, .dontWait]
      let result = unsafe recvmsg(descriptor.rawValue, &message, flags.rawValue)
      return result < 0 ? 0 : Int(unsafe message.msg_controllen)
    }
    // The header, then error number, origin, type, code, eight more octets, and the reporter.
    let start = MemoryLayout<cmsghdr>.size
    let bytes = control.prefix(count).dropFirst(start)
    let origin = bytes.dropFirst(4).first
    // SO_EE_ORIGIN_ICMP, SO_EE_ORIGIN_ICMP6.
    guard origin == 2 || origin == 3 else { return nil }
    let place = family == .v4 ? 20 : 24
    let octets = bytes.dropFirst(place).prefix(family == .v4 ? 4 : 16)
    return ReachabilityAddress(octets: octets).flatMap { $0.isUnspecified ? nil : $0 }
  }

  /// Sends a datagram, which is lost if the socket is not ready.
  func send(_ bytes: [UInt8]) throws(Errno) {
    let flags = TransferFlags.noSignal.rawValue
    guard unsafe sendDatagram(descriptor.rawValue, bytes, count: bytes.count, flags: flags) >= 0 else {
      throw .last
    }
  }

  /// Receives the first 4,096 octets of the next datagram; `nil` if there is none.
  func receive() throws(Errno) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(descriptor.rawValue, &bytes, bytes.count, 0)
    guard count >= 0 else {
      guard [EAGAIN, EINTR].contains(errno) else { throw .last }
      return nil
    }
    return Array(bytes.prefix(count))
  }

  /// Performs a system call that takes a socket address; the zone of a link-local one is the socket's interface.
  private func call(
    address: ReachabilityAddress, port: UInt16,
    _ body: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) throws(Errno) {
    let result: CInt
    switch address {
    case .v4(let address):
      var socketAddress = sockaddr_in()
      socketAddress.sin_family = sa_family_t(AF_INET)
      socketAddress.sin_port = in_port_t(port).bigEndian
      socketAddress.sin_addr.s_addr = address.rawValue.bigEndian
      result = unsafe withUnsafePointer(to: &socketAddress) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe body(descriptor.rawValue, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    case .v6:
      var socketAddress = sockaddr_in6()
      socketAddress.sin6_family = sa_family_t(AF_INET6)
      socketAddress.sin6_port = in_port_t(port).bigEndian
      unsafe withUnsafeMutableBytes(of: &socketAddress.sin6_addr) {
        unsafe $0.copyBytes(from: address.octets)
      }
      result = unsafe withUnsafePointer(to: &socketAddress) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe body(descriptor.rawValue, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    }
    guard result == 0 else { throw .last }
  }
}

/// At file level, where `send` is the system call.
private func sendDatagram(
  _ descriptor: CInt, _ bytes: UnsafeRawPointer, count: Int, flags: CInt
) -> Int {
  unsafe send(descriptor, bytes, count, flags)
}

/// The means to interrupt a thread that waits for sockets.
final class Interruption: Sendable {
  private let alarm: Alarm
  private let flag = Atomic(false)

  private init() throws(ReachabilityMonitorError) {
    do throws(Errno) {
      alarm = try Alarm()
    } catch {
      throw ReachabilityMonitorError(
        .systemUnavailable, errorNumber: error.rawValue,
        description: "could not prepare to wait for the network: \(error)")
    }
  }

  /// Runs a closure on a new thread, which it may block; cancelling the task interrupts it.
  ///
  /// - Throws: `CancellationError`, after the closure returned; ``ReachabilityMonitorError`` if no thread can be started.
  static func run<Value: Sendable>(
    on threads: ThreadStarter, named name: String, _ body: @escaping @Sendable (Interruption) -> Value
  ) async throws -> Value {
    let interruption = try Interruption()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        do throws(ReachabilityMonitorError) {
          try threads(name) {
            let value = body(interruption)
            if interruption.isInterrupted {
              continuation.resume(throwing: CancellationError())
            } else {
              continuation.resume(returning: value)
            }
          }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      interruption.flag.store(true, ordering: .sequentiallyConsistent)
      interruption.alarm.ring()
    }
  }

  /// Whether the closure should return now.
  var isInterrupted: Bool { flag.load(ordering: .sequentiallyConsistent) }

  /// Blocks until a socket is ready, an interruption, or the end of a period.
  ///
  /// - Parameters:
  ///   - sockets: The sockets to wait for, by their places.
  ///   - forInput: Whether to wait for datagrams instead of connections.
  /// - Returns: The places of the ready sockets, in order.
  func wait(for sockets: [Int: ProbeSocket], forInput: Bool, _ time: Duration) -> [Int] {
    let places = sockets.keys.sorted()
    let events = Int16(forInput ? POLLIN : POLLOUT)
    var descriptors = [pollfd(fd: alarm.descriptor, events: Int16(POLLIN), revents: 0)]
    for place in places {
      descriptors.append(pollfd(fd: sockets[place]?.pollDescriptor ?? -1, events: events, revents: 0))
    }
    // Rounded up, so that the period is over on return.
    let milliseconds = time > .zero ? Int64(time / .milliseconds(1)) + 1 : 0
    let count = unsafe poll(&descriptors, nfds_t(descriptors.count), CInt(clamping: milliseconds))
    guard count > 0 else { return [] }
    // Foreign code closed the descriptor: without a pause every wait would end immediately.
    if descriptors[0].revents & Int16(POLLNVAL) != 0 { Alarm.pause() }
    return places.indices.filter { descriptors[$0 + 1].revents != 0 }.map { places[$0] }
  }
}
#endif
