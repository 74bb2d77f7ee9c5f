// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport

/// A server in a test's network, which ends with this object.
package final class RunningServer: Sendable {
  private let processID: pid_t

  /// Starts a server, and waits until it is ready.
  ///
  /// - Parameters:
  ///   - command: A shell command that becomes the server; `setpriv --pdeathsig KILL` ends it with the tests, too.
  ///   - network: The network of the server.
  ///   - isReady: A shell command that succeeds when the server is ready.
  ///   - log: The file for the server's output.
  package init(
    _ command: String, in network: NetworkNamespace, until isReady: String, log path: String
  ) throws {
    let log = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(log) }
    let spawn = Spawn(
      words: ["/bin/sh", "-c", "PATH=$PATH:/usr/sbin:/sbin; \(command)"], environment: ["PATH=/usr/bin:/bin"],
      output: log, errors: log)
    processID = try network.run { try spawn() }
    do {
      try network.sh("for i in $(seq 500); do \(isReady) >/dev/null 2>&1 && exit; sleep 0.02; done; exit 1")
    } catch {
      let text = try? String(contentsOfFile: path, encoding: .utf8)
      throw CommandError("a server does not start: \(text ?? "nothing written"); \(error)")
    }
  }

  deinit {
    kill(processID, SIGKILL)
    waitpid(processID, nil, 0)
  }
}
#endif
