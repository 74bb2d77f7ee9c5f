// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import Foundation
import LiveSupport
import Testing

/// Two networks connected by a veth link: one for the command, and one with servers and a captive portal.
///
/// The name server is a real one (unbound). While the portal holds clients captive, the name server answers every
/// name with the portal's address, and the portal redirects every request to its page. `http://portal.test/accept`
/// releases the clients. After that the portal's address serves the site's content, because clients cache the answers
/// of the name server. Servers end with the lab.
final class PortalLab: @unchecked Sendable {
  /// The network of the command: `10.1.0.1`, with a default route.
  let home: NetworkNamespace
  /// The other end: the portal is `10.1.0.254`, the site `10.1.0.253`; packets for `10.2.0.0/16` are dropped silently.
  let away: NetworkNamespace
  private let root: String
  private let settings: SettingsFolder
  private var nameServer: NameServer?
  private var portalServer: RunningServer?

  /// - Parameter resolver: The text of `resolv.conf`; by default the name server is the portal's.
  init(
    isCaptive: Bool = false,
    resolver: String = "search .\nnameserver 10.1.0.254\noptions timeout:5 attempts:2\n"
  ) throws {
    root = FileManager.default.temporaryDirectory.appending(path: "portal-\(UUID())").path
    home = try NetworkNamespace()
    away = try NetworkNamespace()
    settings = try SettingsFolder(root + "/etc")
    try settings.write("resolv.conf", resolver)
    try settings.write("hosts", "10.1.0.253 near.test\n")
    try write("server.py", PortalServer.program)
    try home.batch(
      """
      link set lo up
      link add eth0 type veth peer name peer0 netns \(away.path)
      link set eth0 addrgenmode none
      link set eth0 up
      address add 10.1.0.1/24 dev eth0
      """)
    try away.batch(
      """
      link set lo up
      link set peer0 addrgenmode none
      link set peer0 up
      address add 10.1.0.254/24 dev peer0
      address add 10.1.0.253/24 dev peer0
      route add blackhole 10.2.0.0/16
      """)
    try away.writeSysctl("net/ipv4/ip_forward", "1")
    try home.sh("for i in $(seq 2000); do ip link show eth0 | grep -q 'state UP' && exit; done; exit 1")
    try home.ip("route add default via 10.1.0.254")
    nameServer = try NameServer(
      in: root, away, at: "10.1.0.254", serving: "10.1.0.0/24", Self.records)
    if isCaptive { try capture() }
    portalServer = try RunningServer(
      "exec setpriv --pdeathsig KILL /usr/bin/python3 '\(root)/server.py' '\(root)'",
      in: away, until: "[ -e '\(root)/ready' ]", log: root + "/log")
  }

  deinit {
    (nameServer, portalServer) = (nil, nil)
    try? FileManager.default.removeItem(atPath: root)
  }

  /// The reason why no lab can be created, or `nil`.
  static let skipReason = NameLab.skipReason ?? .withoutPrograms("/usr/bin/python3", "openssl")

  /// Makes the portal hold clients captive.
  private func capture() throws {
    try write("captive", "")
    try nameServer?.control(
      "local_zone_remove test.", "local_zone . redirect", "local_data . 60 A 10.1.0.254")
  }

  /// Makes the command trust exactly one certificate: that of `https://site.test`, or that of a `stranger`.
  func trust(_ name: String) throws {
    let folder = root + "/etc/ssl/certs"
    try home.sh("mkdir -p '\(folder)' && cp '\(root)/\(name).crt' '\(folder)/ca-certificates.crt'")
  }

  /// Starts a program in the command's network, with the lab's resolver settings.
  func start(
    _ arguments: [String], of program: String = "reachability-verify",
    terminals: Set<RunningCommand.Stream> = [], environment: [String: String] = [:]
  ) throws -> RunningCommand {
    try RunningCommand(
      arguments, of: program, in: home, terminals: terminals, environment: environment,
      through: settings.mounted())
  }

  /// Runs the command to its end.
  func verify(_ arguments: String...) throws -> Outcome { try start(arguments).finish() }

  private func write(_ name: String, _ text: String) throws {
    try text.write(toFile: "\(root)/\(name)", atomically: false, encoding: .utf8)
  }

  private static let records = """
      local-data: "site.test. 60 A 10.1.0.253"
      local-data: "portal.test. 60 A 10.1.0.254"
    """
}

extension Trait where Self == Requirement {
  /// Skips tests if no lab can be created.
  static var needsPortal: Self { Self(PortalLab.skipReason) }
}
#endif
