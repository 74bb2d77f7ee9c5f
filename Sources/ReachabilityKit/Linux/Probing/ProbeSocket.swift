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
  ///   - target: The constraints: interface, source and mark.
  ///   - interface: The index of the target's interface; `nil` if it has none or does not exist.
  ///   - filter: The filter for received packets; errors that ICMP reports are not filtered.
  ///   - number: The number of the protocol; 0 for TCP or UDP.
  ///   - hopLimit: The number of routers after which packets end; `nil` for the system's default.
  /// - Throws: The error if the attempt fails immediately.
  init(
    _ kind: SocketKind, to target: ReachabilityTarget, _ address: ReachabilityAddress, port: UInt16,
    interface: UInt32?,
    filter: SocketFilter? = nil, protocol number: CInt = 0, hopLimit: UInt32? = nil
  ) throws(Errno) {
    family = address.family
    descriptor = try FileDescriptor.openSocket(
      family == .v4 ? AF_INET : AF_INET6, kind, flags: [.closeOnExec, .nonBlocking], protocol: number)
    try? descriptor.setOption(family == .v4 ? .ipv4Errors : .ipv6Errors, 1)
    if let filter { try descriptor.setFilter(filter) }
    if let hopLimit { try descriptor.setOption(family == .v4 ? .ipv4HopLimit : .ipv6HopLimit, hopLimit) }
    if let interface {
      try descriptor.setOption(.interfaceIndex, interface)
    } else if target.interface != nil {
      throw .noDevice
    }
    if let mark = target.mark, mark != 0 { try descriptor.setOption(.mark, mark) }
    if let source = target.source {
      unsafe try descriptor.callWithAddress(source.octets, port: 0) { unsafe bind($0, $1, $2) }
    }
    do throws(Errno) {
      unsafe try descriptor.callWithAddress(address.octets, port: port) { unsafe connect($0, $1, $2) }
    } catch {
      guard [EINPROGRESS, EINTR].contains(error.rawValue) else { throw error }
    }
  }

  /// The descriptor to poll for output, which signals the outcome.
  var pollDescriptor: CInt { descriptor.rawValue }

  /// The error of the attempt once ``pollDescriptor`` has output or an error; `nil` means connected.
  var failure: Errno? { descriptor.pendingError }

  /// The router or firewall that reported the error by ICMP; `nil` if none did or it is unknown.
  ///
  /// The source is `sock_extended_err` of `ip(7)`; the kernel reports it for TCP since 5.19.
  var reporter: ReachabilityAddress? { nextError?.reporter }

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
