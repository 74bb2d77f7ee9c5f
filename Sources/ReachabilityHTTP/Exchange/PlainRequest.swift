import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request in the form that libcurl accepts: text without line breaks, and a body of bytes.
struct PlainRequest: Sendable {
  var url: String
  var method: String
  var body: Data?
  /// The header fields, in libcurl's notation (`CURLOPT_HTTPHEADER`).
  var lines: [String]

  init(_ request: URLRequest) throws(NoAnswer) {
    guard let url = request.url, url.isForBrowsers else {
      throw .invalidRequest(.unsupportedURL, "only http and https URLs can be requested")
    }
    self.url = url.absoluteString
    method = request.httpMethod ?? "GET"
    guard method.isToken else { throw .invalidRequest(.badURL, "the request's method is not an HTTP token") }
    guard request.httpBodyStream == nil else {
      // A stream can be read only once, and the same request is made repeatedly.
      throw .invalidRequest(.requestBodyStreamExhausted, "the request's body is a stream; provide it as data")
    }
    body = request.httpBody
    // These methods have a body even if it is empty: servers expect its length.
    if body == nil, ["PATCH", "POST", "PUT"].contains(method) { body = Data() }
    let fields = request.allHTTPHeaderFields ?? [:]
    var names: Set<String> = []
    lines = []
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      guard name.isToken, !value.utf8.contains(where: { [0, 10, 13].contains($0) }) else {
        throw .invalidRequest(
          .badURL, "a header field of the request contains a line break, or its name is not an HTTP token")
      }
      names.insert(name.lowercased())
      // libcurl omits a field whose value after the colon is empty; a semicolon sends it.
      lines.append(value.allSatisfy(\.isWhitespace) ? "\(name);" : "\(name): \(value)")
    }
    // The body is sent without waiting for 100 (Continue).
    if !names.contains("expect") { lines.append("Expect:") }
    if !names.contains("user-agent") {
      let program = ProcessInfo.processInfo.processName.filter { $0.isASCII && ("!"..."~").contains($0) }
      if !program.isEmpty { lines.append("User-Agent: \(program)") }
    }
  }
}

extension String {
  /// Whether this is a token of HTTP (RFC 9110, section 5.6.2).
  fileprivate var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isOfToken) }
}
