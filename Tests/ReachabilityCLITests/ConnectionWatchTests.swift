// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// `--connect` of the commands that observe.
@Suite(.needsNamespaces, .deadline) struct `Connections that are tried again and again` {
  /// A line without the duration of an attempt.
  private func line(_ command: RunningCommand) throws -> String {
    try command.nextLine().replacing(/[0-9]+(\.[0-9])? m?s$/, with: "TIME")
  }

  @Test func `watch says when a server stops to answer, and when it answers again`() throws {
    let network = try NetworkNamespace.wired()
    var listener: Listener? = try Listener(in: network)
    let port = try #require(listener?.port)
    let name = "tcp://10.1.0.1:\(port)"
    let command = try RunningCommand(["watch", "--connect", "--connect-every", "1s", name], in: network)
    try #expect(line(command) == "TIME  \(name)  reachable      eth0 (wired) from 10.1.0.1")
    try #expect(line(command) == "TIME  \(name)  connected      10.1.0.1 port \(port) after TIME")
    listener = nil
    try #expect(line(command) == "TIME  \(name)  not connected  10.1.0.1 port \(port): refused")
    listener = try Listener(in: network, port: port)
    try #expect(line(command) == "TIME  \(name)  connected      10.1.0.1 port \(port) after TIME")
    command.send(SIGTERM)
    try #expect(command.finish().status == 0)
    withExtendedLifetime(listener) {}
  }

  @Test func `a change of the status connects at once`() throws {
    let network = try NetworkNamespace.wired()
    let listener = try Listener(in: network)
    let name = "tcp://10.1.0.1:\(listener.port)"
    let command = try RunningCommand(
      ["watch", "--connect", "--connect-every", "1h", "--interface", "eth0", name], in: network)
    _ = try line(command)
    try #expect(line(command).contains("connected      10.1.0.1"))
    try network.ip("address del 10.1.0.1/24 dev eth0")
    var lines = [try line(command), try line(command)]
    #expect(lines[1].contains("not connected  10.1.0.1 port \(listener.port): "), "\(lines)")
    try network.ip("address add 10.1.0.1/24 dev eth0")
    lines = [try line(command), try line(command)]
    #expect(lines[1].contains("connected      10.1.0.1"), "\(lines)")
  }

  @Test func `a server that is silent does not delay the others`() throws {
    let network = try NetworkNamespace.wired()
    let listener = try Listener(in: network)
    try network.ip("link set eth0 up")
    // Packets leave for a router that does not forward them.
    try network.ip("neighbour replace 10.1.0.254 lladdr 02:00:00:00:00:fe dev eth0 nud permanent")
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    let silent = (1...12).map { "tcp://10.9.0.\($0):9" }
    let name = "tcp://10.1.0.1:\(listener.port)"
    let command = try RunningCommand(["watch", "--connect"] + silent + [name], in: network)
    let output = try command.output { $0.contains("connected      10.1.0.1 port") }
    // The silent ones take ten seconds.
    #expect(!output.contains("not connected"), "\(output)")
  }

  @Test(.needsLineSchema)
  func `lines of JSON and of records match the schema, and the report has a lane for the server`() throws {
    let folder = try RecordFolder()
    let network = try NetworkNamespace.wired()
    let name = "tcp://10.1.0.1:9"
    let watch = try RunningCommand(["watch", "--json", "--connect", name], in: network)
    let lines = try [watch.nextLine(), watch.nextLine()]
    #expect(
      lines[1].contains(#""endpoint":"\#(name)","verification":"failed""#)
        && lines[1].contains(#""outcome":"refused""#) && lines[1].contains(#""event":"verification""#))
    let record = try folder.record("--connect", "-4", "--mark", "66", name, in: network)
    try folder.wait(for: #""event":"verification""#)
    record.send(SIGTERM)
    try #expect(record.finish().status == 0)
    try #expect(LineSchema.problems(in: lines.joined(separator: "\n") + "\n" + folder.text()) == "")
    let report = try reachability("report", folder.file).output
    #expect(report.contains("\nverification of \(name) (mark 0x42, IPv4)\n"), "\(report)")
  }

  @Test func `a file of metrics says whether the server answers, and which families there are`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip("-6 route add default via fd00:1::fe")
    let name = "tcp://10.1.0.1:9"
    for isRecording in [false, true] {
      let export = try Export(
        [name, "--connect", "--connect-every", "1s"], in: network, isRecording: isRecording)
      let failed = #"reachability_verification_status{endpoint="\#(name)",status="failed"}"#
      let text = try export.text { export.value(failed, $0) == 1 }
      #expect(export.value(#"reachability_path_family{family="IPv4"}"#, text) == 0)
      #expect(export.value(#"reachability_path_family{family="IPv6"}"#, text) == 1)
      let listener = try Listener(in: network, port: 9)
      let later = try export.text { export.value(failed, $0) == 0 }
      let change = #"reachability_verification_last_change_timestamp_seconds{endpoint="\#(name)"}"#
      let times = [text, later].map { export.value(change, $0) ?? 0 }
      #expect(times[0] > 0 && times[1] > times[0], "\(times)")
      withExtendedLifetime(listener) {}
    }
  }

  @Test func `a record knows nothing of a server whose target is not reachable, until the next attempt ends`()
    throws
  {
    let folder = try RecordFolder()
    let network = try NetworkNamespace.wired()
    let listener = try Listener(in: network)
    let name = "tcp://10.1.0.1:\(listener.port)"
    let record = try folder.record("--connect", "--interface", "eth0", name, in: network)
    try folder.wait(for: #""verification":"verified""#)
    try network.ip("link set eth0 down")
    try folder.wait(for: #""verification":"failed""#)
    record.send(SIGTERM)
    try #expect(record.finish().status == 0)
    let states = try folder.objects().compactMap { $0["verification"] as? String }
    #expect(states == ["verified", "unknown", "failed"])
  }

  @Test func `a lack of descriptors says nothing about servers`() throws {
    let folder = try RecordFolder()
    let network = try NetworkNamespace.wired()
    let listener = try Listener(in: network)
    let names = Array(repeating: "tcp://10.1.0.1:\(listener.port)", count: 40).enumerated().map {
      // Different targets of one server.
      "\($1)/\($0)"
    }
    let command = try RunningCommand(
      ["record", "--to", folder.file, "--connect", "--connect-every", "1s"] + names, in: network,
      through: "ulimit -n 26; exec \"$@\"")
    try folder.wait(for: #""event":"verification""#, 40)
    command.send(SIGTERM)
    try #expect(command.finish().status == 0)
    #expect(folder.text().contains("no descriptors left"))
    #expect(try folder.objects().allSatisfy { $0["verification"] as? String != "failed" })
  }

  @Test(arguments: [
    (["watch", "--connect", "10.1.0.1"], "--connect needs a TCP port, which '10.1.0.1' does not have"),
    (
      ["watch", "--connect-every", "5s", "tcp://10.1.0.1:9"],
      "'watch' accepts --connect-every only with --connect"
    ),
    (
      ["export", "--textfile", "a.prom", "--connect-every", "5s"],
      "'export' accepts --connect-every only with --connect"
    ),
    (
      ["watch", "--connect", "--connect-every", "10ms", "tcp://10.1.0.1:9"],
      "invalid value '10ms' for --connect-every"
    ),
    (
      ["record", "--to", "a", "--connect", "--verify", "tcp://10.1.0.1:9", "tcp://10.1.0.1:9"],
      "both --verify and --connect are about 'tcp://10.1.0.1:9'"
    ),
  ])
  func `options that do not fit are refused`(_ arguments: [String], _ error: String) throws {
    let outcome = try RunningCommand(arguments, in: .sample()).finish()
    #expect(outcome.status == 2 && outcome.errors.hasPrefix("error: \(error)\nhint: "), "\(outcome)")
  }
}
#endif
