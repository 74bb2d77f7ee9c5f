// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// Programs in user namespaces on the machine's own network, as in sandboxes and rootless containers.
@Suite(.needsMappedUsers, .deadline)
struct `In a user namespace` {
  /// Starts the command as user 1000, in a user namespace that maps no other user.
  private static let asOnlyUser = """
    exec setpriv --reuid=1000 --clear-groups unshare --user --map-current-user "$@"
    """

  /// A network with a rule for a user range; its last user, the command's, is the only one visible to the command.
  private func network(_ fate: String) throws -> NetworkNamespace {
    let network = try NetworkNamespace.wired()
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    try network.ip("rule add pref 100 uidrange 0-1000 \(fate)")
    return network
  }

  @Test func `a rule for users outside the user namespace does not fail the monitor`() throws {
    let network = try network("lookup main")
    let command = try RunningCommand(["check", "10.9.0.1"], in: network, through: Self.asOnlyUser)
    let line = "10.9.0.1  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1\n"
    try #expect(command.finish() == Outcome(status: 0, output: line))
  }

  @Test func `a rule for users outside the namespace can decide, and its changes are reported`() throws {
    let network = try network("prohibit")
    let explained = try RunningCommand(["explain", "10.9.0.1"], in: network, through: Self.asOnlyUser)
      .finish()
    #expect(explained.output.contains("rule 100: prohibit"), "\(explained)")

    let watch = try RunningCommand(
      ["watch", "10.9.0.1", "--count", "2"], in: network, through: Self.asOnlyUser)
    try #expect(watch.nextLine().hasSuffix("10.9.0.1  not reachable  a route or rule prohibits it"))
    try network.ip("rule del pref 100")
    try #expect(watch.nextLine().contains("10.9.0.1  reachable"))
    try #expect(watch.finish().status == 0)
  }
}

extension Trait where Self == Requirement {
  /// Skips tests where this process may not become user 1000, or that user may not create user namespaces.
  fileprivate static var needsMappedUsers: Self { Self(mappedUsers) }
}

private let mappedUsers =
  SkipReason.withoutNamespaces
  ?? SkipReason.unless(
    "setpriv --reuid=1000 --clear-groups unshare --user true", "needs root with mapped users")
#endif
