import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What has come of a file, and what it takes to ask for the rest (RFC 9110, sections 13 and 14).
struct PartialFile {
  private(set) var size = 0
  private let path: String
  private let handle: FileHandle
  /// How long the whole file is, if the server said so.
  private var total: Int?
  /// What tells one version of the file from the next: without it, parts of two versions could be put together.
  private var validator: String?

  init(path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let handle = FileHandle(forWritingAtPath: path)
    else { throw DownloadError("'\(path)' can't be written") }
    self.path = path
    self.handle = handle
  }

  /// The request for what is missing, or for all if there is nothing that can be gone on with.
  func request(for url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    // Positions are those of what is sent, so that must not be compressed.
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    if size > 0, let validator {
      request.setValue("bytes=\(size)-", forHTTPHeaderField: "Range")
      // If the file is another one by now, the server sends all of that in place of the rest.
      request.setValue(validator, forHTTPHeaderField: "If-Range")
    }
    return request
  }

  /// Takes a response's head, and returns what it means.
  mutating func begin(with response: HTTPURLResponse) throws -> String {
    switch response.statusCode {
    case 206:
      guard let range = Self.range(response.value(forHTTPHeaderField: "Content-Range")), range.first == size,
        total == nil || range.total == nil || range.total == total
      else { throw DownloadError("the server sent another part than was asked for") }
      total = range.total ?? total
      return "going on at byte \(size)" + (total.map { " of \($0)" } ?? "")
    case 200:
      let isAgain = size > 0
      try handle.truncate(atOffset: 0)
      size = 0
      let length = response.value(forHTTPHeaderField: "Content-Length").flatMap { Int($0) }
      let isPlain = response.value(forHTTPHeaderField: "Content-Encoding") ?? "identity" == "identity"
      total = isPlain ? length : nil
      validator = isPlain ? Self.validator(of: response) : nil
      return (isAgain ? "beginning again" : "loading") + (total.map { ": \($0) bytes" } ?? "")
    case 416:
      // Nothing is missing, or the file became shorter: the next run asks for all of it.
      try handle.truncate(atOffset: 0)
      (size, validator) = (0, nil)
      throw DownloadError("the server has no such part; try again")
    case let status:
      throw DownloadError("the server answered \(status)")
    }
  }

  mutating func append(_ data: Data) throws {
    try handle.write(contentsOf: data)
    size += data.count
  }

  /// Renames the file, which replaces one that has the name.
  func finish(as destination: String) throws {
    if let total, total != size { throw DownloadError("\(size) bytes came, \(total) were announced") }
    // On the disk before it bears its name, so that nobody meets half a file after a power failure.
    try handle.synchronize()
    try handle.close()
    guard rename(path, destination) == 0 else {
      throw DownloadError(
        "'\(path)' can't be renamed to '\(destination)': \(String(cString: strerror(errno)))")
    }
  }

  /// A strong entity tag, else the time of the last change.
  private static func validator(of response: HTTPURLResponse) -> String? {
    if let tag = response.value(forHTTPHeaderField: "ETag"), !tag.hasPrefix("W/") { return tag }
    return response.value(forHTTPHeaderField: "Last-Modified")
  }

  /// Reads `bytes FIRST-LAST/TOTAL`, in which the total may be `*`.
  private static func range(_ text: String?) -> (first: Int, total: Int?)? {
    guard let match = text?.wholeMatch(of: /bytes ([0-9]+)-[0-9]+\/([0-9]+|\*)/), let first = Int(match.1)
    else {
      return nil
    }
    return (first, Int(match.2))
  }
}

/// What goes wrong without the network's doing.
struct DownloadError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
