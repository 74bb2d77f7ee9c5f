#if os(Linux)
import Foundation
import LiveSupport

/// A server in a network of a test's own, which ends with this object.
package final class RunningServer {
  private let processID: pid_t

  /// Starts a server, and waits until it is ready.
  ///
  /// - Parameters:
  ///   - command: A shell command that becomes the server; by `setpriv --pdeathsig KILL` it ends with the tests, too.
  ///   - network: Where it runs.
  ///   - isReady: A shell command that succeeds when the server is ready.
  ///   - log: The file that gets what the server writes.
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

  /// A shell command that becomes a name server (unbound) with settings.
  ///
  /// - Parameter folder: Where a copy of the server goes, since some systems confine the installed one to settings of its
  ///   own (AppArmor); the settings are its `server.conf`.
  package static func nameServer(in folder: String) -> String {
    """
    cp "$(command -v unbound)" '\(folder)/unbound' && exec setpriv --pdeathsig KILL '\(folder)/unbound' -d -c '\(folder)/server.conf'
    """
  }
}
#endif
