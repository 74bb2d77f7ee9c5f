// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import ReachabilityHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.deadline) struct `Answer reader` {
  /// Reads lines, then pieces of a body, until the reader stops.
  private func read(
    _ lines: [String], body: [String] = [], bodyLimit: Int = 100, _ end: TransferEnd = .init(code: 0)
  ) -> Result<HTTPAnswer, NoAnswer> {
    var reader = AnswerReader(bodyLimit: bodyLimit)
    if lines.allSatisfy({ reader.read(line: Array(($0 + "\r\n").utf8)) }) {
      _ = body.allSatisfy { reader.read(body: Array($0.utf8)) }
    }
    return reader.result(of: end, from: .endpoint)
  }

  private func verdict(_ result: Result<HTTPAnswer, NoAnswer>) -> String {
    switch result {
    case .success(let answer): "status \(answer.response.statusCode)"
    case .failure(let error): error.verdict.description
    }
  }

  @Test func `status, header fields and body are read`() throws {
    let answer = try read(
      ["HTTP/1.1 203 Almost", "Server:  ours \t", "X-A: größer", "nonsense", " : folded", ": nameless", ""],
      body: ["ab", "cd"]
    ).get()
    #expect(answer.response.statusCode == 203)
    #expect(answer.response.value(forHTTPHeaderField: "server") == "ours")
    #expect(answer.response.value(forHTTPHeaderField: "X-A") == "größer")
    #expect(answer.response.allHeaderFields.count == 2)
    #expect(answer.body == Data("abcd".utf8))
  }

  @Test func `fields of one name are joined, and folded lines too`() throws {
    let lines = ["HTTP/1.0 200", " folded", "A: b", "a: c", "\td", "A: e", "B:", ""]
    let answer = try read(lines).get()
    #expect(answer.response.value(forHTTPHeaderField: "A") == "b, c d, e")
    #expect(answer.response.value(forHTTPHeaderField: "B") == "")
  }

  @Test func `the first of two addresses counts, with its folded lines`() throws {
    let lines = ["HTTP/1.1 302 Found", "Location: /a,b", " c", "location: /d", " e", "A: b", " c", ""]
    let answer = try read(lines).get()
    #expect(answer.response.value(forHTTPHeaderField: "Location") == "/a,b c")
    #expect(answer.response.value(forHTTPHeaderField: "A") == "b c")
  }

  @Test func `a line for which libcurl has no memory is none of HTTP`() {
    let end = TransferEnd(code: 27, text: "Out of memory", isSent: true)
    #expect(
      verdict(read(["HTTP/1.1 200 OK"], end))
        == "expected an HTTP answer, found a line that is longer than libcurl accepts")
    #expect(verdict(read(["HTTP/1.1 200 OK", ""], body: ["a"], end)) == "not connected: Out of memory")
    #expect(verdict(read([], .init(code: 27, text: "Out of memory"))) == "not connected: Out of memory")
  }

  @Test func `interim answers are skipped with their fields`() throws {
    let lines = [
      "HTTP/1.1 100 Continue", "", "HTTP/1.1 103 Early Hints", "Location: /a", "", "HTTP/1.1 404 No", "",
    ]
    let answer = try read(lines).get()
    #expect(answer.response.statusCode == 404)
    #expect(answer.response.value(forHTTPHeaderField: "Location") == nil)
    #expect(verdict(read(["HTTP/1.1 101 Switching", "", "HTTP/1.1 200 OK", ""])) == "status 101")
  }

  @Test func `a trailer ends the body and adds no field`() throws {
    var reader = AnswerReader(bodyLimit: 100)
    let head = ["HTTP/1.1 200 OK\r\n", "A: b\r\n", "\r\n"].map { reader.read(line: Array($0.utf8)) }
    let body = reader.read(body: Array("ok".utf8))
    let trailer = reader.read(line: Array("A: c\r\n".utf8))
    let more = reader.read(body: Array("more".utf8))
    #expect(head + [body, trailer, more] == [true, true, true, true, false, false])
    let answer = try reader.result(of: .init(code: 23), from: .endpoint).get()
    #expect(answer.body == Data("ok".utf8))
    #expect(answer.response.value(forHTTPHeaderField: "A") == "b")
  }

  @Test func `a body is kept up to its limit`() throws {
    let lines = ["HTTP/1.1 200 OK", ""]
    #expect(try read(lines, body: ["abc", "def", "g"], bodyLimit: 5).get().body == Data("abcde".utf8))
    // With a limit of 0 the answer ends with its header fields, however the transfer ends.
    #expect(verdict(read(lines, bodyLimit: 0, .init(code: 23))) == "status 200")
  }

  @Test func `endless header fields are rejected`() {
    var reader = AnswerReader(bodyLimit: 0)
    _ = reader.read(line: Array("HTTP/1.1 200 OK\r\n".utf8))
    let line = Array("A: \(String(repeating: "b", count: 1000))\r\n".utf8)
    var count = 0
    while count < 1000, reader.read(line: line) { count += 1 }
    #expect(count == AnswerReader.headLimit / line.count)
    #expect(
      verdict(reader.result(of: .init(code: 23), from: .endpoint))
        == "expected an HTTP answer, found more than 256 KiB of header fields")
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH_9.2", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 099 Low", "HTTP/1.1 99999 High", "HTTP/1.1 20",
    "HTTP/1.1 +20 OK", "HTTP/1.1 200OK", "HTTP/1.1  200 OK", "HTTP/1 200 OK", "HTTP/2 200", "http/1.1 200 OK",
    "HTTP/1.1\t200 OK", " HTTP/1.1 200 OK", "HTTP/1.1 ２00 OK", "",
  ])
  func `an invalid status line is rejected`(_ line: String) {
    #expect(verdict(read([line])) == "expected an HTTP answer, found '\(line)'")
  }

  @Test func `a long line is shown in part`() {
    let found = "expected an HTTP answer, found '\(String(repeating: "x", count: 80))…'"
    #expect(verdict(read([String(repeating: "x", count: 100_000)])) == found)
  }

  @Test(
    arguments: [
      ([], 52, "Empty reply from server", "not connected: Empty reply from server"),
      (
        ["HTTP/1.1 200 OK"], 0, "",
        "expected an HTTP answer, found an answer that ends within its header fields"
      ),
      ([], 0, "", "expected an HTTP answer, found an answer that ends within its header fields"),
      (["HTTP/1.1 200 OK", ""], 18, "transfer closed", "not connected: transfer closed"),
      (
        ["HTTP/1.1 200 OK", ""], 56, "Illegal in chunked-encoding",
        "expected an HTTP answer, found Illegal in chunked-encoding"
      ),
      (
        [], 56, "Recv failure: Connection reset by peer",
        "not connected: Recv failure: Connection reset by peer"
      ),
      (
        [], 1, "Received HTTP/0.9 when not allowed",
        "expected an HTTP answer, found no HTTP status line"
      ),
      (
        [], 1, "Unsupported response code in HTTP response",
        "expected an HTTP answer, found Unsupported response code in HTTP response"
      ),
      ([], 1, #"Protocol "https" not supported"#, #"not connected: Protocol "https" not supported"#),
      ([], 6, "Could not resolve host: a.test", "not connected: Could not resolve host: a.test"),
      ([], 28, "Operation timed out after 9 milliseconds", "timed out"),
      ([], 60, "SSL certificate problem", "not connected: SSL certificate problem"),
      ([], 9999, "Later", "not connected: Later"),
    ] as [([String], Int32, String, String)])
  func `libcurl's codes and texts become verdicts`(
    _ lines: [String], _ code: Int32, _ text: String, _ words: String
  ) {
    #expect(verdict(read(lines, .init(code: code, text: text))) == words)
  }

  @Test func `a refused connection has the system's error number and text`() {
    let text = "Failed to connect to a.test port 81 after 7 ms: Couldn't connect to server"
    let end = TransferEnd(code: 7, text: text, errorNumber: ECONNREFUSED)
    guard case .failure(let error) = read([], end), case .notConnected(let failure) = error.verdict else {
      Issue.record("an answer")
      return
    }
    #expect(failure.code == .system(errorNumber: ECONNREFUSED))
    #expect(failure.text == "Failed to connect to a.test port 81: Connection refused")
    #expect(
      verdict(read([], .init(code: 7, text: text)))
        == "not connected: Failed to connect to a.test port 81: Couldn't connect to server")
  }

  @Test func `a proxy that answers with the status 511 is a captive portal`() {
    let end = TransferEnd(code: 56, text: "CONNECT tunnel failed, response 511", proxyStatus: 511)
    #expect(verdict(read([], end)) == "captive portal")
  }
}

@Suite(.deadline) struct `Plain requests` {
  private func plain(_ change: (inout URLRequest) -> Void = { _ in }) throws -> PlainRequest {
    var request = URLRequest(url: .at("http://a.test/x?y"))
    change(&request)
    return try PlainRequest(request)
  }

  private func refusal(_ change: (inout URLRequest) -> Void) -> String? {
    do {
      _ = try plain(change)
      return nil
    } catch {
      return (error as? NoAnswer)?.verdict.description
    }
  }

  @Test func `method, header fields and body are those of the request`() throws {
    let request = try plain {
      $0.httpMethod = "PUT"
      $0.httpBody = Data("ab".utf8)
      $0.setValue("b", forHTTPHeaderField: "A")
      $0.setValue("", forHTTPHeaderField: "Empty")
      $0.setValue("me", forHTTPHeaderField: "User-Agent")
    }
    #expect(request.url == "http://a.test/x?y" && request.method == "PUT" && request.body == Data("ab".utf8))
    #expect(request.lines == ["A: b", "Empty;", "User-Agent: me", "Expect:"])
    #expect(try plain().body == nil)
    #expect(try plain { $0.httpMethod = "POST" }.body == Data())
    #expect(try plain().lines.contains { $0.hasPrefix("User-Agent: ") })
  }

  @Test(arguments: ["b\r\nEvil: c", "b\nEvil: c", "b\rc", "b\0c"])
  func `a field with a line break is not sent`(_ value: String) {
    let refused = refusal { $0.setValue(value, forHTTPHeaderField: "A") }
    // Foundation may have rejected it already.
    let lines = (try? plain { $0.setValue(value, forHTTPHeaderField: "A") }.lines) ?? []
    #expect(
      refused != nil || !lines.contains { $0.contains("Evil") || $0.contains("\r") || $0.contains("\0") })
  }

  @Test func `a request that libcurl could misread is rejected`() {
    #expect(refusal { $0.setValue("b", forHTTPHeaderField: "A:") } != nil)
    #expect(refusal { $0.httpMethod = "GET / HTTP/1.1\r\nEvil: c" } != nil)
    #expect(refusal { $0.url = URL.at("file:///etc/hosts") } != nil)
    #expect(refusal { $0.url = nil } != nil)
  }

  @Test func `a body that is a stream is rejected`() {
    let words = "not connected: the request's body is a stream; provide it as data"
    #expect(refusal { $0.httpBodyStream = InputStream(data: Data("a".utf8)) } == words)
  }
}
