#if os(Linux)
import Foundation
import LiveSupport
import Synchronization
import Testing

/// A network of a test's own in which a name server answers, with an `/etc` of its own.
///
/// The server is a real one, on the loopback interface; nothing leaves the network, so it fails for all names that it
/// would ask other servers for. By `eth0` there are routes to
/// `10.9.0.0/16` and `fd00:9::/64`; packets for `10.66.0.0/16` are discarded.
package final class NameLab: @unchecked Sendable {
  package let network: NetworkNamespace
  /// What the command sees as `/etc`.
  package let etc: String
  private let root: String
  private var server: RunningServer?

  /// Settings by which the server here is asked; it has the time that a busy machine takes.
  package static let settings = "search .\nnameserver 127.0.0.1\noptions timeout:10 attempts:1\n"
  /// Settings by which the server here is given up soon, for names to which it does not answer.
  package static let impatientSettings = "search .\nnameserver 127.0.0.1\noptions timeout:1 attempts:1\n"

  package init(settings: String? = settings, isServing: Bool = true) throws {
    root = FileManager.default.temporaryDirectory.appending(path: "names-\(UUID())").path
    etc = root + "/etc"
    network = try .wired()
    try network.batch(
      """
      route add 10.9.0.0/16 via 10.1.0.254
      route add fd00:9::/64 via fd00:1::fe
      route add blackhole 10.66.0.0/16
      """)
    try FileManager.default.createDirectory(atPath: etc, withIntermediateDirectories: true)
    for name in ["ld.so.cache", "localtime"] {
      try? FileManager.default.copyItem(atPath: "/etc/\(name)", toPath: "\(etc)/\(name)")
    }
    try write("nsswitch.conf", "hosts: files dns\n")
    try write("hosts", "127.0.0.1 localhost\n10.9.0.99 listed.test\n")
    if let settings { try write("resolv.conf", settings) }
    try Self.zones(root).write(toFile: root + "/server.conf", atomically: true, encoding: .utf8)
    if isServing { try serve() }
  }

  deinit {
    server = nil
    try? FileManager.default.removeItem(atPath: root)
  }

  /// Starts the server, and waits until it answers.
  package func serve() throws {
    try serve(by: RunningServer.nameServer(in: root), until: "\(control) status")
  }

  /// Starts a server that lies (see ``LyingServer``), in the place of the real one.
  package func lie() throws {
    try LyingServer.program.write(toFile: root + "/lies.py", atomically: true, encoding: .utf8)
    try serve(
      by: "exec setpriv --pdeathsig KILL /usr/bin/python3 '\(root)/lies.py' '\(root)/ready'",
      until: "[ -e '\(root)/ready' ]")
  }

  private func serve(by command: String, until isReady: String) throws {
    server = try RunningServer(command, in: network, until: isReady, log: root + "/log")
  }

  /// Tells the server something, such as `local_data new.test A 10.9.0.7`.
  package func tell(_ words: String) throws { try network.sh("\(control) \(words)") }

  private var control: String { "unbound-control -c '\(root)/server.conf'" }

  /// Writes one of the resolver's settings.
  package func write(_ name: String, _ text: String) throws {
    try text.write(toFile: "\(etc)/\(name)", atomically: false, encoding: .utf8)
  }

  /// Runs a shell command where the resolver's settings are.
  package func change(_ command: String) throws { try network.sh("cd '\(etc)' && \(command)") }

  /// Starts the command, for which `/etc` is this network's, perhaps with so many descriptors at most.
  package func start(
    _ arguments: [String], of program: String = "reachability", descriptors limit: Int? = nil,
    environment: [String: String] = [:]
  ) throws -> RunningCommand {
    let then = limit.map { "ulimit -n \($0) && " } ?? ""
    return try RunningCommand(
      arguments, of: program, in: network, environment: environment,
      through: #"exec unshare --mount sh -c 'mount --bind "$0" /etc && \#(then)exec "$@"' '\#(etc)' "$@""#)
  }

  /// Runs the command to its end.
  package func reachability(_ arguments: String...) throws -> Outcome { try start(arguments).finish() }

  /// A lab for tests that change nothing.
  package static func sample() throws -> NameLab { try sampleLab.get() }

  /// The same, for names to which the server does not answer.
  package static func impatientSample() throws -> NameLab { try impatientLab.get() }

  private static let sampleLab = shared(settings)
  private static let impatientLab = shared(impatientSettings)
  private static let sharedFolders = Mutex<[String]>([])

  /// Makes a lab that lasts as long as the process, and leaves nothing behind.
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

  /// Why there can be no lab, or `nil`.
  package static let unavailable: String? = {
    if let reason = NetworkNamespace.unavailable { return reason }
    let needs = [
      ("unbound, a name server, is not installed", "command -v unbound && command -v unbound-control"),
      ("no file can be mounted over /etc", "unshare --mount mount --bind /tmp /etc"),
    ]
    return needs.first { (try? NetworkNamespace().shell($0.1).status) != 0 }?.0
  }()

  private static func zones(_ root: String) -> String {
    """
    server:
      interface: 127.0.0.1
      access-control: 127.0.0.0/8 allow
      do-daemonize: no
      use-syslog: no
      username: ""
      chroot: ""
      directory: "\(root)"
      pidfile: ""
      module-config: "iterator"
      do-not-query-localhost: no
      local-zone: "test." static
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
    remote-control:
      control-enable: yes
      control-use-cert: no
      control-interface: \(root)/control
    """
  }
}

extension RunningCommand {
  /// Waits for the next line that tells more than that a name is being resolved, which may be over before it is told.
  package func nextKnownLine() throws -> String {
    while true {
      let line = try nextLine()
      if !line.hasSuffix("resolving its name") && !line.contains(#""reason":"resolving""#) { return line }
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips tests where no name server can be had, and says why.
  package static var needsNameServer: Self {
    .enabled(if: NameLab.unavailable == nil, "\(NameLab.unavailable ?? "")")
  }
}
#endif
