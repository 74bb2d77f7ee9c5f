// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The folders of Swift sources, and the references between them by type.
///
/// Reads names, not the compiler's index. A type or function counts if it is declared at the top level of exactly one
/// folder, wherever its name appears outside of comments and strings.
struct Rooms {
  /// A reference from a folder to a type of another one.
  struct Reference: Hashable, CustomStringConvertible {
    var file: String
    var name: String
    var room: String

    var description: String { "\(file) uses \(name) of \(room)" }
  }

  /// The references of each folder, by the folder that they lead to.
  private(set) var uses: [String: [String: Set<Reference>]] = [:]

  /// The number of files in each folder.
  private(set) var sizes: [String: Int] = [:]

  /// - Parameter sources: The text of each file, by its path.
  init(_ sources: [String: String]) {
    var homes: [Substring: Set<String>] = [:]
    var words: [String: Set<Substring>] = [:]
    for (path, text) in sources {
      let code = Self.code(of: text)
      let room = Self.room(of: path)
      sizes[room, default: 0] += 1
      for match in code.matches(of: Self.declaration) where !match.0.contains("private ") {
        homes[match.1, default: []].insert(room)
      }
      words[path] = Set(code.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
    }
    for (path, words) in words {
      let room = Self.room(of: path)
      for word in words {
        guard let home = homes[word], home.count == 1, let other = home.first, other != room else { continue }
        let reference = Reference(file: path, name: String(word), room: other)
        uses[room, default: [:]][other, default: []].insert(reference)
      }
    }
  }

  /// A declaration at the beginning of its line.
  private static var declaration: Regex<(Substring, Substring)> {
    #/
    (?m)^(?:@\w+(?:\([^)]*\))?\s)*(?:(?:public|package|private|fileprivate|final|indirect|nonisolated)\s)*
    (?:struct|class|enum|protocol|actor|typealias|func)\s(\w+)
    /#
  }

  private static func room(of path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }

  /// The text without comments and strings.
  private static func code(of text: String) -> String {
    text.replacing(#/(?s)""".*?"""/#, with: "")
      .replacing(#/"(?:\\.|[^"\\\n])*"/#, with: "")
      .replacing(#/\/\/[^\n]*/#, with: "").replacing(#/(?s)\/\*.*?\*\//#, with: "")
  }

  /// The references that form cycles, in order; empty if there is no cycle.
  var cycles: [Reference] {
    var reached: [String: Set<String>] = [:]
    for start in uses.keys {
      var waiting = [start]
      while let room = waiting.popLast() {
        for next in uses[room, default: [:]].keys where reached[start, default: []].insert(next).inserted {
          waiting.append(next)
        }
      }
    }
    let references = uses.flatMap { room, others in
      others.flatMap { other, references in reached[other, default: []].contains(room) ? references : [] }
    }
    return references.sorted { $0.description < $1.description }
  }
}
