// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// `watch` of names while servers, records, settings and networks change.
@Suite(.needsNameServer, .deadline) struct `The command watch of names` {
  private static let route = "eth0 (wired) via 10.1.0.254 from 10.1.0.1"

  /// Expects the next lines to be those of a name with one address.
  private func expectReachable(
    _ command: RunningCommand, by address: String = "10.9.0.1", route: String = route,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let lines = try [command.nextKnownLine(), command.nextLine()]
    // The width of a line's time and its two spaces, and an indentation of two.
    let indent = String(repeating: " ", count: 33)
    #expect(
      lines == ["TIME  a.test  reachable      \(route)", "\(indent)\(address)  reachable      \(route)"],
      sourceLocation: sourceLocation)
  }

  @Test func `a lookup is retried until a name server appears`() throws {
    let lab = try NameLab(isServing: false)
    let command = try lab.start(["watch", "a.test"])
    try #expect(command.nextKnownLine() == "TIME  a.test  not reachable  the name server refused or failed")
    try lab.serve()
    try expectReachable(command)
  }

  @Test func `a new record is found, and a changed one after a network change`() throws {
    let lab = try NameLab()
    try lab.control("local_data_remove a.test")
    let command = try lab.start(["watch", "a.test"])
    try #expect(command.nextKnownLine() == "TIME  a.test  not reachable  no such name")
    try lab.control("local_data a.test A 10.9.0.1")
    try expectReachable(command)
    try lab.control("local_data_remove a.test")
    try lab.control("local_data a.test A 10.9.0.2")
    try lab.network.ip("route add default via 10.1.0.254")
    try expectReachable(command, by: "10.9.0.2")
  }

  @Test func `an unreachable address is reported while the host stays reachable by the other`() throws {
    let lab = try NameLab()
    try lab.control("local_data a.test A 10.2.0.1")
    let command = try lab.start(["watch", "--json", "a.test"])
    _ = try command.nextKnownLine()
    try lab.network.ip("route add 10.2.0.0/16 via 10.1.0.253")
    try #expect(statuses(command.nextLine()) == ["reachable", "10.2.0.1 reachable", "10.9.0.1 reachable"])
    try lab.network.ip("route del 10.9.0.0/16")
    try #expect(statuses(command.nextLine()) == ["reachable", "10.2.0.1 reachable", "10.9.0.1 notReachable"])
    try lab.network.ip("route del 10.2.0.0/16")
    try #expect(
      statuses(command.nextLine()) == ["notReachable", "10.2.0.1 notReachable", "10.9.0.1 notReachable"])
  }

  /// The status of an object, then each address with its own, sorted.
  private func statuses(_ line: String) throws -> [String] {
    let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    let addresses = try #require(object["addresses"] as? [[String: Any]])
    let own = addresses.map { "\($0["address"] ?? "") \($0["status"] ?? "")" }
    return ["\(object["status"] ?? "")"] + own.sorted()
  }

  // MARK: Settings

  @Test(
    arguments: [
      ("replaced by rename", ":", "cp \(gone) new; mv new resolv.conf", unreachable),
      ("written in place", ":", "cat \(gone) > resolv.conf", unreachable),
      // Without the file, the resolver queries the local name server.
      ("appears", "rm resolv.conf", "cp \(gone) new; mv new resolv.conf", unreachable),
      (
        "a link that is switched", "mv resolv.conf a; ln -s a resolv.conf",
        "ln -s \(gone) new; mv -T new resolv.conf", unreachable
      ),
      (
        "a link's target replaced by rename", "mkdir run; mv resolv.conf run/a; ln -s run/a resolv.conf",
        "cp \(gone) run/new; mv run/new run/a", unreachable
      ),
      ("nsswitch.conf", ":", "echo 'hosts: files' > new; mv new nsswitch.conf", "no such name"),
    ])
  func `a change of the resolver settings starts a new lookup`(
    name: String, before: String, change: String, reason: String
  ) throws {
    let lab = try NameLab()
    try lab.write(Self.gone, "nameserver 10.7.7.7\n")
    try lab.change(before)
    let command = try lab.start(["watch", "a.test"])
    try expectReachable(command)
    // Without this notification, the next lookup would be a minute away.
    try lab.change(change)
    try #expect(command.nextKnownLine() == "TIME  a.test  not reachable  \(reason)")
  }

  private static let gone = "gone.conf"
  private static let unreachable = "no name server can be reached"

  @Test func `a line added to or removed from hosts takes effect immediately`() throws {
    let lab = try NameLab()
    let command = try lab.start(["watch", "a.test"])
    try expectReachable(command)
    try lab.change("cp hosts old; echo '10.9.0.7 a.test' >> hosts")
    try expectReachable(command, by: "10.9.0.7")
    try lab.change("mv old hosts")
    try expectReachable(command)
  }

  @Test func `removing resolv.conf leaves the local name server`() throws {
    let lab = try NameLab(settings: "nameserver 10.7.7.7\n")
    let command = try lab.start(["watch", "a.test"])
    try #expect(command.nextKnownLine() == "TIME  a.test  not reachable  no name server can be reached")
    try lab.change("rm resolv.conf")
    try expectReachable(command)
  }
}
#endif
