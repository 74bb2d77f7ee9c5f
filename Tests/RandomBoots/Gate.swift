#if os(Linux)
import CommandSupport
import Foundation
import LiveSupport
import Synchronization

/// The command `reachability wait` on a machine, with a service manager that notes when it opens.
final class Gate: Sendable {
  private let process: pid_t
  private let socket: Int32
  private let path: String
  private let opening = Mutex<ContinuousClock.Instant?>(nil)
  private let isListening = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts the command, and waits until it has told what is missing.
  init(on machine: NetworkNamespace) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "gate-\(UUID())").path
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    (self.path, self.socket) = (path, socket)
    guard result == 0 else { throw CommandError("bind: error \(errno)") }
    let silence = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(silence) }
    let spawn = Spawn(
      words: [try Executable("reachability").path, "wait", "--timeout", "1h"],
      environment: ["NOTIFY_SOCKET=\(path)"],
      output: silence, errors: silence)
    process = try machine.run { try spawn() }
    Thread.detachNewThread { [self] in listen() }
    guard isListening.wait(timeout: .now() + .seconds(20)) == .success else {
      throw CommandError("the gate told nothing")
    }
  }

  private func listen() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe recv(socket, &buffer, buffer.count, 0)
      let now = ContinuousClock.now
      let text = String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
      if text.hasPrefix("READY=1") { opening.withLock { $0 = $0 ?? now } }
      isListening.signal()
      if text.hasPrefix("READY=1") || count <= 0 { break }
    }
    ended.signal()
  }

  var opened: ContinuousClock.Instant? { opening.withLock { $0 } }

  func stop() {
    kill(process, SIGKILL)
    _ = waitpid(process, nil, 0)
    shutdown(socket, Int32(SHUT_RDWR))
    ended.wait()
    close(socket)
    _ = unsafe unlink(path)
  }
}
#endif
