// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// Requests to host names that wait for the network, with a real name server.
@Suite(.serialized, .onOwnThreads, .needsNameServer, .needsPython, .deadline)
struct NameConnectivityTests {
  /// Returns a lab in which this machine serves `a.test`.
  private func lab(isServing: Bool) throws -> (NameLab, HoldingServer) {
    let lab = try NameLab(settings: NameLab.shortSettings, isServing: isServing)
    try lab.network.ip("address add 10.9.0.1/32 dev lo")
    return (lab, try HoldingServer(in: lab.network))
  }

  private func fetch(_ words: String..., in lab: NameLab) throws -> RunningCommand {
    try lab.start(["fetch"] + words, of: "RequestProgram")
  }

  @Test func `a request waits for a missing name server`() throws {
    let (lab, server) = try lab(isServing: false)
    let program = try fetch("http://a.test:8080/", in: lab)
    #expect(try program.nextLine().hasPrefix("waiting: not reachable: "))
    try lab.serve()
    #expect(try program.nextLine().hasPrefix("done: 200, 5 bytes, "))
    #expect(server.requests == ["GET /"])
  }

  @Test func `a name that does not exist is waited for only without a path`() throws {
    let (lab, _) = try lab(isServing: true)
    let offline = try fetch("http://nowhere.test:8080/", "deadline=1", in: lab).finish()
    // Either the request or the monitor may notice it first.
    #expect(
      offline.output.hasPrefix(
        "waiting: not reachable: no such name\nerror: -1001 no connectivity in time: "),
      "\(offline)")
    try lab.network.ip("route add default via 10.1.0.254")
    let online = try fetch("http://nowhere.test:8080/", "deadline=20", in: lab).finish()
    #expect(
      online.output == "error: -1003 Could not resolve host: nowhere.test\nseconds: 0\n", "\(online)")
  }

  @Test func `a request waits until the name of its proxy can be resolved`() throws {
    let (lab, server) = try lab(isServing: false)
    let program = try RunningCommand(
      ["fetch", "http://192.0.2.7/"], of: "RequestProgram", in: lab.network,
      environment: ["http_proxy": "http://a.test:8080"],
      through: #"exec unshare --mount sh -c 'mount --bind "$0" /etc && exec "$@"' '\#(lab.etc)' "$@""#)
    #expect(try program.nextLine().hasPrefix("waiting: not reachable: "))
    try lab.serve()
    #expect(try program.nextLine().hasPrefix("done: 200, 5 bytes, "))
    #expect(server.requests == ["GET http://192.0.2.7/"])
  }
}
#endif
