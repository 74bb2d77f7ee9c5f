// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// Silent name servers delay nothing else.
@Suite(.needsNameServer, .deadline) struct `The command and silent name servers` {
  private static let route = "eth0 (wired) via 10.1.0.254 from 10.1.0.1"
  private static let names = (0..<1000).map { "n\($0).silent.test" }

  @Test func `1,000 names on a silent server do not delay addresses or other names`() throws {
    let lab = try NameLab()
    let alone = try time(to: "10.9.0.1", among: [], in: lab)
    let among = try time(to: "10.9.0.1", among: Self.names, in: lab)
    // The margin is generous: the alternative is the 10 s of a lookup.
    #expect(among < alone + .seconds(7))
  }

  /// The time until a change is reported, measured after a name with an answering server is resolved.
  private func time(to address: String, among names: [String], in lab: NameLab) throws -> Duration {
    let half = names.count / 2
    let command = try lab.start(["watch"] + names[..<half] + ["a.test", address] + names[half...])
    var isKnown = (address: false, name: false)
    while !isKnown.address || !isKnown.name {
      let words = try command.nextLine().split(separator: " ")
      if words.dropFirst().starts(with: [Substring(address), "reachable"]) { isKnown.address = true }
      if words.dropFirst().starts(with: ["a.test", "reachable"]) { isKnown.name = true }
    }
    let start = ContinuousClock.now
    try lab.network.ip("route replace blackhole \(address)/32")
    while try !command.nextLine().hasPrefix("TIME  \(address) ") {}
    defer { _ = try? lab.network.ip("route del blackhole \(address)/32") }
    return start.duration(to: .now)
  }

  @Test func `a wait times out while every lookup is stuck`() throws {
    let lab = try NameLab.sample()
    let start = ContinuousClock.now
    let command = try lab.start(["wait", "--timeout", "300ms"] + Self.names.prefix(20))
    let outcome = try command.finish()
    #expect(outcome.status == 1)
    // The lookups last 10 s.
    #expect(start.duration(to: .now) < .seconds(8))
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal ends a watch while every lookup is stuck`(signal: Int32) throws {
    let command = try NameLab.sample().start(["watch"] + Self.names.prefix(20))
    for _ in 0..<20 { try #expect(command.nextLine().hasSuffix("unknown        resolving its name")) }
    let start = ContinuousClock.now
    command.send(signal)
    try #expect(command.exitStatus(within: .seconds(8)) == 0)
    #expect(start.duration(to: .now) < .seconds(8))
  }

  @Test func `a reader that closes the pipe ends a watch while every lookup is stuck`() throws {
    let command = try NameLab.sample().start(["watch"] + Self.names.prefix(20))
    _ = try command.nextLine()
    command.closeOutput()
    try #expect(command.exitStatus(within: .seconds(8)) == 0)
  }

  @Test func `a network change during a lookup starts another lookup after it`() throws {
    let lab = try NameLab(settings: "search .\nnameserver 127.0.0.1\noptions timeout:2 attempts:1\n")
    let command = try lab.start(["watch", "www.silent.test"])
    try #expect(command.nextLine() == "TIME  www.silent.test  unknown        resolving its name")
    // The unanswered query continues, and the change happens before it ends.
    try lab.network.ip("route add default via 10.1.0.253")
    try lab.control("local_zone_remove silent.test")
    try lab.control("local_data www.silent.test A 10.3.0.1")
    // Its failure may be reported, or be replaced by the answer to the next query.
    var line = try command.nextLine()
    if line == "TIME  www.silent.test  not reachable  no name server answered in time" {
      line = try command.nextLine()
    }
    let route = "eth0 (wired) via 10.1.0.253 from 10.1.0.1"
    #expect(line == "TIME  www.silent.test  reachable      \(route)")
    try #expect(command.nextLine().hasSuffix("  10.3.0.1  reachable      \(route)"))
  }
}
#endif
