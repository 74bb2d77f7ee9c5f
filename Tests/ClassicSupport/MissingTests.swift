// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Returns the tests that a module's documentation names in its tables but that do not exist.
///
/// - Parameters:
///   - module: The module's name.
///   - file: A file in the folder of its tests.
/// - Returns: The missing names, and the number of all names.
public func missingTests(of module: String, besides file: String) throws -> (names: [String], count: Int) {
  let folder = URL(filePath: file).deletingLastPathComponent()
  let page = folder.appending(path: "../../Sources/\(module)/\(module).docc/\(module).md").standardized
  let text = try String(contentsOf: page, encoding: .utf8)
  let tests = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    .filter { $0.pathExtension == "swift" }
    .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
  let tables = text.components(separatedBy: "| test |").dropFirst().joined()
  let rows = tables.split(separator: "\n").filter { $0.hasPrefix("| ") }
  // The names in backticks in the last column.
  let names = rows.compactMap { $0.dropLast(2).components(separatedBy: " | ").last }
    .flatMap { column in column.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 } }
    .map(\.element)
  return (names.filter { !tests.contains("func `\($0)`") }, names.count)
}
