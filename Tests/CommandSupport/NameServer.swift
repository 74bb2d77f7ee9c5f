// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport
import RequirementSupport

/// A name server (unbound) that answers from records of its settings.
package final class NameServer {
  private let network: NetworkNamespace
  private let settings: String
  private var server: RunningServer?

  /// Starts a name server, and waits until it is ready.
  ///
  /// - Parameters:
  ///   - folder: The folder for the server's files. It gets a copy of the program, since some systems confine the
  ///     installed one to its own settings (AppArmor).
  ///   - network: The network of the server.
  ///   - address: The address that the server listens on.
  ///   - clients: The prefix of the addresses that it serves.
  ///   - lines: Further settings, for example zones and records.
  package init(
    in folder: String, _ network: NetworkNamespace, at address: String, serving clients: String,
    _ lines: String
  ) throws {
    self.network = network
    settings = folder + "/server.conf"
    try Self.settings(in: folder, at: address, serving: clients, lines)
      .write(toFile: settings, atomically: true, encoding: .utf8)
    server = try RunningServer(
      """
      cp "$(command -v unbound)" '\(folder)/unbound' \
      && exec setpriv --pdeathsig KILL '\(folder)/unbound' -d -c '\(settings)'
      """, in: network, until: "\(control) status", log: folder + "/log")
  }

  /// Sends the server commands of `unbound-control`, for example `local_data new.test A 10.9.0.7`.
  package func control(_ commands: String...) throws {
    try network.sh(commands.map { "\(control) \($0)" }.joined(separator: " && "))
  }

  private var control: String { "unbound-control -c '\(settings)'" }

  /// The reason why no server can run, or `nil`.
  package static let skipReason = SkipReason.withoutPrograms("unbound", "unbound-control")

  private static func settings(
    in folder: String, at address: String, serving clients: String, _ lines: String
  ) -> String {
    """
    server:
      interface: \(address)
      access-control: \(clients) allow
      do-daemonize: no
      use-syslog: no
      username: ""
      chroot: ""
      directory: "\(folder)"
      pidfile: ""
      module-config: "iterator"
      local-zone: "test." static
    \(lines)
    remote-control:
      control-enable: yes
      control-use-cert: no
      control-interface: \(folder)/control
    """
  }
}
#endif
