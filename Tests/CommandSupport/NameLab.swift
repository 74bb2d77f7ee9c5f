// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport
import RequirementSupport
import Synchronization
import Testing

/// A network with a name server, and with its own `/etc`.
///
/// The server is unbound, on the loopback interface. Nothing leaves the network, so lookups that need other servers fail.
/// Routes through `eth0` lead to `10.9.0.0/16` and `fd00:9::/64`; packets for `10.66.0.0/16` are discarded.
package final class NameLab: @unchecked Sendable {
  package let network: NetworkNamespace
  private let root: String
  private let settings: SettingsFolder
  private var nameServer: NameServer?
  private var lyingServer: RunningServer?

  /// Settings that query the server, with time for a busy machine.
  package static let settings = "search .\nnameserver 127.0.0.1\noptions timeout:10 attempts:1\n"
  /// Settings that query the server with a short timeout, for names that it does not answer.
  package static let shortSettings = "search .\nnameserver 127.0.0.1\noptions timeout:1 attempts:1\n"

  package init(settings text: String? = settings, isServing: Bool = true) throws {
    root = FileManager.default.temporaryDirectory.appending(path: "names-\(UUID())").path
    network = try .wired()
    try network.batch(
      """
      route add 10.9.0.0/16 via 10.1.0.254
      route add fd00:9::/64 via fd00:1::fe
      route add blackhole 10.66.0.0/16
      """)
    settings = try SettingsFolder(root + "/etc", hosts: "10.9.0.99 listed.test\n")
    if let text { try write("resolv.conf", text) }
    if isServing { try serve() }
  }

  deinit {
    (nameServer, lyingServer) = (nil, nil)
    try? FileManager.default.removeItem(atPath: root)
  }

  /// The folder that commands see as `/etc`.
  package var etc: String { settings.path }

  /// Starts the server, and waits until it answers.
  package func serve() throws {
    nameServer = try NameServer(
      in: root, network, at: "127.0.0.1", serving: "127.0.0.0/8", Self.records)
  }

  /// Starts a server that lies (see ``LyingServer``), in place of the real one.
  package func lie() throws {
    try LyingServer.program.write(toFile: root + "/lies.py", atomically: true, encoding: .utf8)
    lyingServer = try RunningServer(
      "exec setpriv --pdeathsig KILL /usr/bin/python3 '\(root)/lies.py' '\(root)/ready'",
      in: network, until: "[ -e '\(root)/ready' ]", log: root + "/log")
  }

  /// Sends the server a command, for example `local_data new.test A 10.9.0.7`.
  package func control(_ command: String) throws {
    guard let nameServer else { throw CommandError("no name server runs for: \(command)") }
    try nameServer.control(command)
  }

  /// Writes a file of the resolver's settings.
  package func write(_ name: String, _ text: String) throws { try settings.write(name, text) }

  /// Runs a shell command in the folder of the resolver's settings.
  package func change(_ command: String) throws { try network.sh("cd '\(etc)' && \(command)") }

  /// Starts the command with this network's `/etc`, and optionally with a limit of descriptors.
  ///
  /// - Parameter prefix: Shell commands to run before, in the same process, without single quotes.
  package func start(
    _ arguments: [String], of program: String = "reachability", descriptors limit: Int? = nil,
    environment: [String: String] = [:], after prefix: String = ""
  ) throws -> RunningCommand {
    try RunningCommand(
      arguments, of: program, in: network, environment: environment,
      through: settings.mounted((limit.map { "ulimit -n \($0) && " } ?? "") + prefix))
  }

  /// Runs the command to its end.
  package func reachability(_ arguments: String...) throws -> Outcome { try start(arguments).finish() }

  /// A shared lab, for tests that change nothing.
  package static func sample() throws -> NameLab { try sampleLab.get() }

  /// A shared lab with short timeouts, for names that the server does not answer.
  package static func shortSample() throws -> NameLab { try shortLab.get() }

  private static let sampleLab = shared(settings)
  private static let shortLab = shared(shortSettings)
  private static let sharedFolders = Mutex<[String]>([])

  /// Makes a lab that lasts as long as the process, and whose files the process removes at its end.
  private static func shared(_ settings: String) -> Result<NameLab, any Error> {
    Result {
      let lab = try NameLab(settings: settings)
      let isFirst = sharedFolders.withLock { folders in
        folders.append(lab.root)
        return folders.count == 1
      }
      if isFirst {
        atexit {
          for folder in NameLab.sharedFolders.withLock(\.self) {
            try? FileManager.default.removeItem(atPath: folder)
          }
        }
      }
      return lab
    }
  }

  /// The reason why no lab can exist, or `nil`.
  package static let skipReason = SettingsFolder.skipReason ?? NameServer.skipReason

  private static let records = """
      do-not-query-localhost: no
      local-data: "a.test. A 10.9.0.1"
      local-data: "aaaa.test. AAAA fd00:9::1"
      local-data: "both.test. A 10.9.0.1"
      local-data: "both.test. AAAA fd00:9::1"
      local-data: "half.test. A 10.66.1.1"
      local-data: "half.test. A 10.9.0.1"
      local-data: "lost.test. A 10.66.1.1"
      local-data: "lost.test. A 10.66.1.2"
      local-data: "zero.test. A 0.0.0.0"
      local-data: "empty.test. TXT nothing"
      local-zone: "silent.test." always_deny
      local-zone: "refused.test." always_refuse
    """
}
#endif
