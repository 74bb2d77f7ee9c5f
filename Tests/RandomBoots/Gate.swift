// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import Foundation
import LiveSupport
import Synchronization

/// The command `reachability wait` on a machine, with a service manager that notes when it opens.
final class Gate: Sendable {
  private let process: pid_t
  private let manager: ServiceManager
  private let opening = Mutex<ContinuousClock.Instant?>(nil)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts the command, and waits until it has told what is missing.
  init(on machine: NetworkNamespace) throws {
    manager = try ServiceManager()
    let spawn = Spawn(
      words: [try Executable("reachability").path, "wait", "--timeout", "1h"],
      environment: ["NOTIFY_SOCKET=\(manager.name)"])
    process = try machine.run { try spawn() }
    guard manager.next() != nil else { throw CommandError("the gate told nothing") }
    Thread.detachNewThread { [self] in listen() }
  }

  private func listen() {
    while let text = manager.next(within: -1) {
      let now = ContinuousClock.now
      guard text.hasPrefix("READY=1") else { continue }
      opening.withLock { $0 = now }
      break
    }
    ended.signal()
  }

  /// The moment at which the gate opened; `nil` before that.
  var opened: ContinuousClock.Instant? { opening.withLock { $0 } }

  func stop() {
    kill(process, SIGKILL)
    _ = waitpid(process, nil, 0)
    manager.stop()
    ended.wait()
  }
}
