// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation

/// A service manager that receives the messages of one service, by the protocol of `sd_notify`.
public final class ServiceManager: Sendable {
  private let descriptor: CInt
  /// The value of `NOTIFY_SOCKET`.
  public let name: String

  /// - Parameter isAbstract: Whether the socket is a name of the calling thread's network namespace instead of a file.
  public init(isAbstract: Bool = false) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "n\(UUID())").path
    name = isAbstract ? "@\(path)" : path
    descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = (isAbstract ? [0] : []) + Array(path.utf8)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size + bytes.count))
      }
    }
    guard result == 0 else { throw CommandError("bind: error \(errno)") }
  }

  deinit {
    close(descriptor)
    if name.hasPrefix("/") { _ = unsafe unlink(name) }
  }

  /// The next message; `nil` if none arrives in time, or after ``stop()``.
  public func next(within milliseconds: CInt = 20_000) -> String? {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&wanted, 1, milliseconds) == 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    return count <= 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Ends a wait for a message.
  public func stop() { shutdown(descriptor, CInt(SHUT_RDWR)) }
}
#endif
