import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Reads an answer of HTTP/1 as libcurl hands it on: line by line up to the body, then piece by piece.
///
/// Whatever a server sends, it keeps ``headLimit`` bytes before the body and the wanted ones of the body at most.
package struct AnswerReader: Sendable {
  private enum Part {
    /// The line with the status comes next, the answer's own or an interim one's.
    case status
    case fields
    case body
    /// All that was wanted is there, or it is no answer of HTTP.
    case end
  }

  /// How many bytes all lines before the body may have together, those of interim answers too.
  package static let headLimit = 256 << 10

  private let bodyLimit: Int
  private var part = Part.status
  private var headSize = 0
  private var status = 0
  private var fields = HeaderFields()
  private var body = Data()
  /// What came in place of an answer of HTTP.
  private var nonsense: String?

  /// Makes a reader.
  ///
  /// - Parameter bodyLimit: How many bytes of the body are wanted; with 0 the answer ends where the body begins.
  package init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

  /// Takes a line that is not of the body, with its line break; returns whether more is wanted.
  package mutating func take(line bytes: [UInt8]) -> Bool {
    // A line behind the body is one of its trailer (RFC 9112, section 7.1.2), so that the body is complete.
    if part == .body { part = .end }
    guard part != .end else { return false }
    headSize += bytes.count
    guard headSize <= Self.headLimit else {
      return end("more than \(Self.headLimit >> 10) KiB of header fields")
    }
    var line = bytes[...]
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if part == .status {
      guard let status = Self.status(in: line) else {
        return end("'\(String(decoding: line.prefix(4 * 81), as: UTF8.self).excerpt)'")
      }
      (self.status, fields, part) = (status, HeaderFields(), .fields)
    } else if !line.isEmpty {
      fields.add(line)
    } else if (100...199).contains(status), status != 101 {
      // An interim answer, after which the one that counts comes (RFC 9110, section 15.2).
      part = .status
    } else {
      // What comes after 101 is of another protocol.
      part = bodyLimit == 0 || status == 101 ? .end : .body
    }
    return part != .end
  }

  /// Takes a piece of the body; returns whether more is wanted.
  package mutating func take(body bytes: [UInt8]) -> Bool {
    guard part == .body else { return false }
    body.append(contentsOf: bytes.prefix(bodyLimit - body.count))
    if body.count == bodyLimit { part = .end }
    return part != .end
  }

  private mutating func end(_ nonsense: String) -> Bool {
    (self.nonsense, part, fields) = (nonsense, .end, HeaderFields())
    return false
  }

  /// Reads a line such as `HTTP/1.1 200 OK` (RFC 9112, section 4); `nil` if it is another.
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
  /// What came of the request, once nothing more comes or nothing more is wanted.
  package func result(of end: TransferEnd, from url: URL) -> Result<HTTPAnswer, NoAnswer> {
    if let nonsense { return .failure(.notHTTP(nonsense)) }
    if part == .end || part == .body && end.code == 0 {
      let response = HTTPURLResponse(
        url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields.joined)
      return response.map { .success(HTTPAnswer($0, body: body)) }
        ?? .failure(.notHTTP("header fields that the system does not take"))
    }
    // libcurl is content with an answer that is cut off there.
    if end.code == 0 { return .failure(.notHTTP("an answer that ends before its header fields do")) }
    return .failure(NoAnswer(end, isInBody: part == .body))
  }
}

/// The fields of an answer, those of one name joined (RFC 9110, section 5.2).
private struct HeaderFields {
  private var values: [String: (name: String, value: String)] = [:]
  private var last: String?

  var joined: [String: String] {
    Dictionary(values.values.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// Adds a line; one that is none of a field is left away.
  mutating func add(_ line: ArraySlice<UInt8>) {
    if line.first.map(\.isBlank) == true {
      // What goes on in the next line (RFC 9112, section 5.2).
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
    if values[key] == nil { values[key] = (name, value) } else { values[key]?.value += ", " + value }
    last = key
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

  /// Whether names of fields and methods are made of it (RFC 9110, section 5.6.2).
  var isOfToken: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
      || "!#$%&'*+-.^_`|~".utf8.contains(self)
  }
}

extension ArraySlice<UInt8> {
  /// The text without the blanks around it.
  fileprivate var trimmedText: String {
    let tail = drop(while: \.isBlank)
    let end = tail.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? tail.startIndex
    return String(decoding: tail[..<end], as: UTF8.self)
  }
}
