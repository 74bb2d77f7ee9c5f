// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import Foundation
import LiveSupport
import Testing

/// A new folder for the files of a record, removed with this object.
final class RecordFolder {
  let path = FileManager.default.temporaryDirectory.appending(path: "record-\(UUID())").path

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of the record.
  var file: String { path + "/history.jsonl" }

  /// Starts `record` with this record.
  func record(
    _ arguments: String..., in network: NetworkNamespace, through shell: String? = nil
  ) throws -> RunningCommand {
    try RunningCommand(["record", "--to", file] + arguments, in: network, through: shell)
  }

  /// The names of all files.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  func write(_ text: String) throws { try text.write(toFile: file, atomically: false, encoding: .utf8) }

  /// The bytes of a file as text; `suffix` is that of an older one, for example `.1`.
  func text(_ suffix: String = "") -> String {
    String(decoding: FileManager.default.contents(atPath: file + suffix) ?? Data(), as: UTF8.self)
  }

  /// The lines of a file, of which the last must be whole.
  func lines(_ suffix: String = "") throws -> [String] {
    let text = text(suffix)
    guard text.isEmpty || text.hasSuffix("\n") else {
      throw CommandError("the last line is not whole: \(text.suffix(300))")
    }
    return text.split(separator: "\n").map(String.init)
  }

  /// The decoded lines of a file.
  func objects(_ suffix: String = "") throws -> [[String: Any]] {
    try lines(suffix).map { line in
      guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
        throw CommandError("not an object: \(line)")
      }
      return object
    }
  }

  /// An independent decoder: the number of lines by their event, and an error for one that is not whole.
  static let decoder = #"""
    import collections, json, sys
    count = collections.Counter()
    for path in sys.argv[1:]:
        with open(path, "rb") as file: data = file.read()
        assert data.endswith(b"\n"), path
        for line in data[:-1].split(b"\n"): count[json.loads(line)["event"]] += 1
    print(json.dumps(count))
    """#

  /// The numbers of lines in files, by their event, as Python reads them.
  func eventCounts(_ suffixes: [String] = [""]) throws -> [String: Int] {
    let result = try NetworkNamespace.sample().shell(
      #"exec /usr/bin/python3 -c "$@""#, [Self.decoder] + suffixes.map { file + $0 })
    try #require(result.status == 0, "\(result.standardError)")
    let data = Data(result.standardOutput.utf8)
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Int])
  }

  /// Waits until the whole lines of the file meet a condition, and returns them.
  @discardableResult
  func wait(within limit: Duration = .seconds(20), until isMet: ([String]) -> Bool) throws -> [String] {
    let deadline = ContinuousClock.now + limit
    while true {
      let text = text()
      let lines = text.split(separator: "\n").map(String.init)
      if text.hasSuffix("\n"), isMet(lines) { return lines }
      guard ContinuousClock.now < deadline else {
        throw CommandError("the record stays: \(text.suffix(3000))")
      }
      usleep(1000)
    }
  }

  /// Waits until a text has occurred this many times.
  func wait(for text: String, _ count: Int = 1, within limit: Duration = .seconds(20)) throws {
    try wait(within: limit) { lines in lines.count { $0.contains(text) } >= count }
  }
}

extension String {
  /// The line of a record, with names in place of what differs between runs.
  var withEqualRuns: String {
    withEqualTimesAndIndexes.replacing(/"uptimeMicroseconds":[0-9]+/, with: "UPTIME")
      .replacing(
        /"machine":".*?","machineID":(?:null|"[0-9a-f]{12}"),"boot":".*?","run":"[0-9a-f]{16}","program":".*?"/,
        with: "RUN")
  }
}
#endif
