import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request as libcurl takes it: texts and bytes in which nothing can end a line too early.
struct PlainRequest: Sendable {
  var url: String
  var method: String
  var body: Data?
  /// The header fields, in libcurl's notation (`CURLOPT_HTTPHEADER`).
  var lines: [String]

  init(_ request: URLRequest) throws(NoAnswer) {
    guard let url = request.url, url.isForBrowsers else {
      throw .refused(.unsupportedURL, "only http and https addresses are requested")
    }
    self.url = url.absoluteString
    method = request.httpMethod ?? "GET"
    guard method.isToken else { throw .refused(.badURL, "the request's method is none of HTTP") }
    guard request.httpBodyStream == nil else {
      // A stream can be read once, and the same request is made again and again.
      throw .refused(.requestBodyStreamExhausted, "the request's body is a stream; give it as data")
    }
    body = request.httpBody
    // Such a request has a body even if that is empty: servers expect to read how long it is.
    if body == nil, ["PATCH", "POST", "PUT"].contains(method) { body = Data() }
    let fields = request.allHTTPHeaderFields ?? [:]
    var names: Set<String> = []
    lines = []
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      guard name.isToken, !value.utf8.contains(where: { [0, 10, 13].contains($0) }) else {
        throw .refused(.badURL, "a header field of the request has a line break, or no name of HTTP")
      }
      names.insert(name.lowercased())
      // Behind a colon an empty value would mean that the field is to be left away.
      lines.append(value.allSatisfy(\.isWhitespace) ? "\(name);" : "\(name): \(value)")
    }
    // Nobody waits for leave to send a body.
    if !names.contains("expect") { lines.append("Expect:") }
    if !names.contains("user-agent") {
      let program = ProcessInfo.processInfo.processName.filter { $0.isASCII && ("!"..."~").contains($0) }
      if !program.isEmpty { lines.append("User-Agent: \(program)") }
    }
  }
}

extension String {
  fileprivate var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isOfToken) }
}
