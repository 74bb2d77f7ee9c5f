// SPDX-License-Identifier: Apache-2.0
import CLibrary

/// The service manager that started this process, which shows what it waits for.
///
/// The protocol is that of `sd_notify(3)`: datagrams of assignments to the socket that `NOTIFY_SOCKET` names. Sockets of
/// virtual machines (`vsock:…`) are left out.
final class ServiceManager: Sendable {
  private let descriptor: CInt

  /// Connects to the manager; `nil` where there is none.
  init?() {
    guard let name = unsafe getenv("NOTIFY_SOCKET").map({ unsafe String(cString: $0) }) else { return nil }
    var bytes = Array(name.utf8)
    // The name of a socket without a file begins with a zero byte.
    if bytes.first == UInt8(ascii: "@") {
      bytes[0] = 0
    } else if bytes.first != UInt8(ascii: "/") {
      return nil
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let size = socklen_t((MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + bytes.count)
    descriptor = socket(AF_UNIX, Self.datagrams, 0)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, size)
      }
    }
    if result != 0 { return nil }
  }

  deinit {
    _ = close(descriptor)
  }

  // An enumerator in Glibc, a macro elsewhere: SOCK_DGRAM and MSG_DONTWAIT.
  private static var datagrams: CInt { 2 }
  private static var dontWait: CInt { 0x40 }

  /// Shows a text; one that the manager has no room for is left out.
  func show(_ text: String) { send("STATUS=\(text)") }

  /// Reports that the wait is over, and shows a text.
  func reportReady(_ text: String) {
    // The manager reads soon, or not at all.
    var room = pollfd(fd: descriptor, events: CShort(POLLOUT), revents: 0)
    _ = unsafe poll(&room, 1, 5000)
    send("READY=1\nSTATUS=\(text)")
  }

  private func send(_ text: String) {
    var text = text
    _ = text.withUTF8 { unsafe CLibrary.send(descriptor, $0.baseAddress, $0.count, Self.dontWait) }
  }
}
