// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import Foundation
import LiveSupport

/// A running `reachability export`, or `record`, with the file that it writes.
final class Export {
  let command: RunningCommand
  let folder: URL
  /// The folder as this process reaches it.
  private(set) var visibleFolder: URL

  /// Starts the command with a file in a folder, which is a new one unless it is given.
  ///
  /// - Parameters:
  ///   - isInOwnRoot: Whether the command has mounted a file system of its own there.
  ///   - isRecording: Whether the command also writes a record, `history.jsonl`.
  init(
    _ arguments: [String], in network: NetworkNamespace, folder: URL? = nil, through shell: String? = nil,
    isInOwnRoot: Bool = false, isRecording: Bool = false
  ) throws {
    self.folder = folder ?? FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    if folder == nil {
      try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: false)
    }
    let record = self.folder.appending(path: "history.jsonl").path
    command = try RunningCommand(
      (isRecording ? ["record", "--to", record] : ["export"]) + [
        "--textfile", self.folder.appending(path: "kit.prom").path,
      ] + arguments, in: network,
      through: shell)
    visibleFolder =
      isInOwnRoot ? URL(filePath: "/proc/\(command.processID)/root\(self.folder.path)") : self.folder
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// The file's name on the command line.
  var path: String { folder.appending(path: "kit.prom").path }

  /// The file whose lock the command holds.
  var lock: URL { folder.appending(path: ".kit.prom.lock") }

  /// The names of all files of a command that runs.
  var names: Set<String> { ["kit.prom", lock.lastPathComponent] }

  /// Waits until the text of the file is as expected, and returns it; an absent file has no text.
  func text(until isExpected: (String) -> Bool) throws -> String {
    let deadline = ContinuousClock.now + RunningCommand.timeLimit
    while true {
      let text = (try? String(contentsOf: visibleFolder.appending(path: "kit.prom"), encoding: .utf8)) ?? ""
      if isExpected(text) { return text }
      guard ContinuousClock.now < deadline else { throw CommandError("the file remains: \(text)") }
      usleep(1000)
    }
  }

  /// A number that another file does not have at the same time.
  func fileNumber() throws -> UInt64 {
    let attributes = try FileManager.default.attributesOfItem(
      atPath: visibleFolder.appending(path: "kit.prom").path)
    let time = attributes[.modificationDate] as? Date ?? .distantPast
    return UInt64(time.timeIntervalSince1970 * 1e6)
  }

  /// Whether a text says that the target has this status.
  func shows(_ status: String, of target: String = "10.1.0.2", _ text: String) -> Bool {
    value(#"reachability_target_status{target="\#(target)",status="\#(status)"}"#, text) == 1
  }

  /// The value of a series in a text.
  func value(_ series: String, _ text: String) -> Double? {
    text.split(separator: "\n").first { $0.hasPrefix(series + " ") }.flatMap {
      Double($0.dropFirst(series.count + 1))
    }
  }
}
#endif
