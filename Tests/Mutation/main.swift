// SPDX-License-Identifier: Apache-2.0
// Prints the faults of files as an object of JSON: the paths, each with its faults.
import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

var faults: [String: [Fault]] = [:]
for path in CommandLine.arguments.dropFirst() {
  let source = try String(contentsOfFile: path, encoding: .utf8)
  let folded = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
  guard let file = folded.as(SourceFileSyntax.self) else { fatalError("no file: \(path)") }
  faults[path] = Finder(file).faults
}
FileHandle.standardOutput.write(try JSONEncoder().encode(faults))
