// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The received part of a file, and the request for the rest (RFC 9110, sections 13 and 14).
struct PartialFile {
  private(set) var size = 0
  private let path: String
  private let handle: FileHandle
  /// The length of the complete file, if the server sent it.
  private var total: Int?
  /// The identity of the file's version, without which parts of two versions could be combined.
  private var validator: String?

  init(path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let handle = FileHandle(forWritingAtPath: path)
    else { throw DownloadError("cannot write '\(path)'") }
    self.path = path
    self.handle = handle
  }

  /// Returns the request for the missing part, or for the complete file if it cannot be resumed.
  func request(for url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    // Positions refer to the transferred bytes, so they must not be compressed.
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    if size > 0, let validator {
      request.setValue("bytes=\(size)-", forHTTPHeaderField: "Range")
      // If the file has changed, the server sends the complete new one.
      request.setValue(validator, forHTTPHeaderField: "If-Range")
    }
    return request
  }

  /// Handles the head of a response, and returns a description.
  mutating func begin(with response: HTTPURLResponse) throws -> String {
    switch response.statusCode {
    case 206:
      guard let range = Self.range(response.value(forHTTPHeaderField: "Content-Range")), range.first == size,
        total == nil || range.total == nil || range.total == total
      else { throw DownloadError("the server sent a part that was not requested") }
      total = range.total ?? total
      return "resuming at byte \(size)" + (total.map { " of \($0)" } ?? "")
    case 200:
      let isAgain = size > 0
      try handle.truncate(atOffset: 0)
      size = 0
      let length = response.value(forHTTPHeaderField: "Content-Length").flatMap { Int($0) }
      let isPlain = response.value(forHTTPHeaderField: "Content-Encoding") ?? "identity" == "identity"
      total = isPlain ? length : nil
      validator = isPlain ? Self.validator(of: response) : nil
      return (isAgain ? "starting over" : "loading") + (total.map { ": \($0) bytes" } ?? "")
    case 416:
      // The file is complete, or became shorter: the next run requests all of it.
      try handle.truncate(atOffset: 0)
      (size, validator) = (0, nil)
      throw DownloadError("the server does not have the requested part; try again")
    case let status:
      throw DownloadError("the server answered with status \(status)")
    }
  }

  mutating func append(_ data: Data) throws {
    try handle.write(contentsOf: data)
    size += data.count
  }

  /// Renames the file, replacing an existing one.
  func finish(as destination: String) throws {
    if let total, total != size { throw DownloadError("received \(size) of \(total) bytes") }
    // Synchronized before it is renamed, so that the name never stands for half a file after a power failure.
    try handle.synchronize()
    try handle.close()
    guard rename(path, destination) == 0 else {
      throw DownloadError(
        "cannot rename '\(path)' to '\(destination)': \(String(cString: strerror(errno)))")
    }
  }

  /// Returns a strong entity tag, otherwise the time of the last change.
  private static func validator(of response: HTTPURLResponse) -> String? {
    if let tag = response.value(forHTTPHeaderField: "ETag"), !tag.hasPrefix("W/") { return tag }
    return response.value(forHTTPHeaderField: "Last-Modified")
  }

  /// Parses `bytes FIRST-LAST/TOTAL`, where the total may be `*`.
  private static func range(_ text: String?) -> (first: Int, total: Int?)? {
    guard let match = text?.wholeMatch(of: /bytes ([0-9]+)-[0-9]+\/([0-9]+|\*)/), let first = Int(match.1)
    else {
      return nil
    }
    return (first, Int(match.2))
  }
}

/// A failure that the network did not cause.
struct DownloadError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
