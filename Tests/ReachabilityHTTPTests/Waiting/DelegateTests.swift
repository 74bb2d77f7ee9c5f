// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// The delegate of a session, which decides about redirects and challenges of its requests that wait.
@Suite(.serialized, .onOwnThreads, .needsNamespaces, .needsPython, .deadline)
struct DelegateTests {
  private let lab: RequestLab

  init() throws { lab = try RequestLab() }

  /// The methods whose requests have a connection of their own, one that uses the session's, and one that waited.
  private static let methods = ["POST", "upload", "uploadfile", "PUT", "GET", "download", "waited"]

  /// Runs a request to its end; one that `waited` begins without a link.
  private func fetch(_ path: String, _ method: String, _ options: String...) throws -> Outcome {
    let waited = method == "waited"
    if waited { try lab.host.ip("link set v0 down") }
    let words = ["fetch", RequestLab.url + path, "method=\(waited ? "GET" : method)"] + options
    let program = try RunningCommand(words, of: "RequestProgram", in: lab.host)
    guard waited else { return try program.finish() }
    #expect(try program.nextLine().hasPrefix("waiting: "))
    try lab.raiseLink()
    let outcome = try program.finish()
    return Outcome(
      status: outcome.status,
      output: outcome.output.split(separator: "\n").dropFirst().map { $0 + "\n" }.joined())
  }

  private static func isGET(_ method: String) -> Bool { ["GET", "download", "waited"].contains(method) }

  @Test(arguments: methods)
  func `a delegate that refuses a redirect keeps secrets from the other host`(_ method: String) throws {
    let outcome = try fetch("/away", method, "delegate=refuse", "secret=yes")
    let asked = "307 to http://10.1.0.3:8080/arrived, task of /away\n"
    #expect(outcome.output.hasPrefix(asked + "done: 307, "), "\(outcome)")
    #expect(lab.server.requests.count == 1)
  }

  @Test(arguments: methods)
  func `a delegate changes the request of a redirect`(_ method: String) throws {
    let outcome = try fetch("/away", method, "delegate=change", "secret=yes")
    #expect(
      outcome.output.hasPrefix("307 to http://10.1.0.3:8080/arrived, task of /away\ndone: 200, "),
      "\(outcome)")
    let requests = lab.server.requests
    #expect(requests.first?.contains("/away#Authorization#Cookie") == true)
    #expect(
      requests.last?.contains(" /arrived") == true && requests.last?.contains("#") == false, "\(requests)")
  }

  @Test(arguments: [
    ("POST", "posted"), ("PUT", "posted"), ("upload", "sent"), ("uploadfile", "a file"),
  ])
  func `a redirect that keeps the method keeps the body`(_ method: String, _ body: String) throws {
    let outcome = try fetch("/away", method)
    #expect(outcome.output.hasSuffix("body: taken\n"), "\(outcome)")
    let verb = method == "POST" ? "POST" : "PUT"
    #expect(lab.server.requests == ["\(verb) /away \(body)", "\(verb) /arrived \(body)"])
  }

  @Test(arguments: ["POST", "upload", "uploadfile", "stream"])
  func `a redirect that changes the method has no body`(_ method: String) throws {
    let outcome = try fetch("/see-other", method)
    #expect(outcome.output.hasSuffix("body: hello\n"), "\(outcome)")
    #expect(lab.server.requests.last == "GET /arrived")
  }

  @Test func `a redirect of a body that cannot be read twice is the answer`() throws {
    let outcome = try fetch("/away", "stream")
    #expect(outcome.output.hasPrefix("done: 307, "), "\(outcome)")
  }

  @Test(arguments: methods)
  func `a delegate answers a challenge`(_ method: String) throws {
    let outcome = try fetch("/login", method, "delegate=login")
    #expect(outcome.output.hasPrefix("challenge 0 of lab, task of /login\ndone: 200, "), "\(outcome)")
    let requests = lab.server.requests
    let body = [
      "POST": " posted", "PUT": " posted", "upload": " sent", "uploadfile": " a file",
    ][method, default: ""]
    let verb = Self.isGET(method) ? "GET" : method == "POST" ? "POST" : "PUT"
    #expect(requests == ["\(verb) /login\(body)", "\(verb) /login#Authorization\(body)"])
  }

  @Test(arguments: ["POST", "GET"])
  func `a delegate is told how often its answers have failed`(_ method: String) throws {
    let outcome = try fetch("/login", method, "delegate=wrong")
    let asked = (0...3).map { "challenge \($0) of lab, task of /login\n" }.joined()
    #expect(outcome.output.hasPrefix(asked + "done: 401, 0 bytes"), "\(outcome)")
    #expect(lab.server.requests.count == 4)
  }

  @Test(arguments: methods)
  func `a challenge without an answer ends with the status 401`(_ method: String) throws {
    #expect(try fetch("/login", method).output.hasPrefix("done: 401, 0 bytes"))
    let outcome = try fetch("/login", method, "delegate=default")
    #expect(outcome.output.hasPrefix("challenge 0 of lab, task of /login\ndone: 401, 0 bytes"), "\(outcome)")
  }

  // Slow: waits three times as long as the request may be idle. If the program ends, Foundation has been repaired.
  @Test func `the session's own call never ends at a challenge without an answer`() throws {
    let program = try RunningCommand(
      ["fetch", RequestLab.url + "/login", "waits=plain", "idle=1"], of: "RequestProgram", in: lab.host)
    #expect(throws: (any Error).self) { try program.finish(within: .seconds(3)) }
    #expect(lab.server.requests == ["GET /login"])
  }

  @Test(arguments: ["POST", "GET"])
  func `a delegate rejects a challenge`(_ method: String) throws {
    let outcome = try fetch("/login", method, "delegate=reject")
    #expect(outcome.output.hasPrefix("challenge 0 of lab, task of /login\nerror: -999 "), "\(outcome)")
  }

  @Test(arguments: ["/away", "/halves", "/login"])
  func `a delegate receives the same calls as for a request of its session`(_ path: String) throws {
    try lab.server.sendRest()
    let plain = try fetch(path, "GET", "delegate=login", "waits=plain")
    #expect(plain.status == 0, "\(plain)")
    for method in ["GET", "waited"] { #expect(try fetch(path, method, "delegate=login") == plain) }
  }
}
#endif
