// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A reader of HTTP/1 answers as libcurl delivers them: line by line up to the body, then piece by piece.
///
/// It keeps at most ``headLimit`` bytes before the body, and at most the requested number of bytes of the body.
struct AnswerReader: Sendable {
  private enum Part {
    /// The next line is a status line, of the final answer or of an interim one.
    case status
    case fields
    case body
    /// The requested part is complete, or this is not an HTTP answer.
    case end
  }

  /// The limit in bytes of all lines before the body, including those of interim answers.
  static let headLimit = 256 << 10

  private let bodyLimit: Int
  private var part = Part.status
  private var headSize = 0
  private var status = 0
  private var fields = HeaderFields()
  private var body = Data()
  /// What was found instead of an HTTP answer.
  private var rejection: String?

  /// Creates a reader.
  ///
  /// - Parameter bodyLimit: The maximum number of bytes of the body to keep; with 0 the answer ends where the body
  ///   begins.
  init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

  /// Reads a line before or after the body, with its line break; returns whether to continue.
  mutating func read(line bytes: [UInt8]) -> Bool {
    // A line after the body belongs to its trailer (RFC 9112, section 7.1.2), so the body is complete.
    if part == .body { part = .end }
    guard part != .end else { return false }
    headSize += bytes.count
    guard headSize <= Self.headLimit else {
      return reject("more than \(Self.headLimit >> 10) KiB of header fields")
    }
    var line = bytes[...]
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if part == .status {
      guard let status = Self.status(in: line) else {
        return reject("'\(String(decoding: line.prefix(4 * 81), as: UTF8.self).excerpt)'")
      }
      (self.status, fields, part) = (status, HeaderFields(), .fields)
    } else if !line.isEmpty {
      fields.add(line)
    } else if (100...199).contains(status), status != 101 {
      // An interim answer precedes the final one (RFC 9110, section 15.2).
      part = .status
    } else {
      // After 101 another protocol begins.
      part = bodyLimit == 0 || status == 101 ? .end : .body
    }
    return part != .end
  }

  /// Reads a piece of the body; returns whether to continue.
  mutating func read(body bytes: [UInt8]) -> Bool {
    guard part == .body else { return false }
    body.append(contentsOf: bytes.prefix(bodyLimit - body.count))
    if body.count == bodyLimit { part = .end }
    return part != .end
  }

  private mutating func reject(_ found: String) -> Bool {
    (rejection, part, fields) = (found, .end, HeaderFields())
    return false
  }

  /// Reads a status line, for example `HTTP/1.1 200 OK` (RFC 9112, section 4); `nil` for another line.
  private static func status(in line: ArraySlice<UInt8>) -> Int? {
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, let first = parts.first, first.starts(with: "HTTP/".utf8) else { return nil }
    let version = Array(first.dropFirst(5))
    guard version.count == 3, version[0].isDigit, version[1] == UInt8(ascii: "."), version[2].isDigit,
      parts[1].count == 3, parts[1].allSatisfy(\.isDigit), parts[1].first != UInt8(ascii: "0")
    else { return nil }
    return parts[1].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }
}

extension AnswerReader {
  /// Returns the result of the request after libcurl has ended it.
  func result(of end: TransferEnd, from url: URL) -> Result<HTTPAnswer, NoAnswer> {
    if let rejection { return .failure(.notHTTP(rejection)) }
    if part == .end || part == .body && end.isSuccess {
      let response = HTTPURLResponse(
        url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields.joined)
      return response.map { .success(HTTPAnswer($0, body: body)) }
        ?? .failure(.notHTTP("header fields that the system rejects"))
    }
    // libcurl reports success for an answer that is cut off in its header fields.
    if end.isSuccess { return .failure(.notHTTP("an answer that ends within its header fields")) }
    return .failure(NoAnswer(end, isInBody: part == .body))
  }
}

/// The header fields of an answer; fields of one name are joined (RFC 9110, section 5.2).
private struct HeaderFields {
  private var values: [String: (name: String, value: String)] = [:]
  private var last: String?

  var joined: [String: String] {
    Dictionary(values.values.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// Adds a line; ignores lines that are not header fields.
  mutating func add(_ line: ArraySlice<UInt8>) {
    if line.first.map(\.isBlank) == true {
      // A folded line continues the previous field (RFC 9112, section 5.2).
      if let last { values[last]?.value += " " + line.trimmedText }
      return
    }
    last = nil
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
      line[..<colon].allSatisfy(\.isOfToken)
    else { return }
    let name = String(decoding: line[..<colon], as: UTF8.self)
    let value = line[(colon + 1)...].trimmedText
    let key = name.lowercased()
    // An address contains commas, so a second one cannot be joined: the first one counts.
    let isSecond = key == "location" && values[key] != nil
    if values[key] == nil {
      values[key] = (name, value)
    } else if !isSecond {
      values[key]?.value += ", " + value
    }
    last = isSecond ? nil : key
  }
}

extension ArraySlice<UInt8> {
  /// The text without surrounding blanks.
  fileprivate var trimmedText: String {
    let tail = drop(while: \.isBlank)
    let end = tail.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? tail.startIndex
    return String(decoding: tail[..<end], as: UTF8.self)
  }
}

/// An HTTP answer with the part of its body that was read.
package struct HTTPAnswer: Sendable {
  package var response: HTTPURLResponse
  package var body: Data

  package init(_ response: HTTPURLResponse, body: Data = Data()) {
    self.response = response
    self.body = body
  }
}

extension UInt8 {
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

  /// Whether this byte may occur in a token: a field name or a method (RFC 9110, section 5.6.2).
  var isOfToken: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
      || "!#$%&'*+-.^_`|~".utf8.contains(self)
  }
}
