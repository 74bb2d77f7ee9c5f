// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import Testing

/// The dependencies between the folders of a module, by the types that files name.
///
/// Reading all sources takes a processor for many seconds, which must not be one of the task pool's threads.
@Suite("Rooms", .serialized, .onOwnThreads, .deadline)
struct RoomTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources").standardized.path(percentEncoded: false)

  /// The text of each file of a module, by its path.
  private static func texts(of module: String) throws -> [String: String] {
    let folder = "\(sources)/\(module)"
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
    return try Dictionary(
      uniqueKeysWithValues: paths.map { ($0, try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) }
    )
  }

  private static let rooms = Result {
    try Dictionary(uniqueKeysWithValues: modules.map { ($0, Rooms(try texts(of: $0))) })
  }

  private func rooms(of module: String) throws -> Rooms {
    try #require(Self.rooms.get()[module])
  }

  private static let modules = (try? FileManager.default.contentsOfDirectory(atPath: sources).sorted()) ?? []

  @Test(arguments: modules) func `the folders of a module form no cycle`(module: String) throws {
    #expect(try rooms(of: module).cycles.map(\.description) == [])
  }

  /// The folders of ReachabilityKit and their permitted dependencies, as drawn in CONTRIBUTING.
  private static let drawing: [String: Set<String>] = [
    "Model/Target": [],
    "Model": ["Model/Target"],
    "Coding": ["Model/Target", "Model"],
    "Evaluation": ["Model/Target", "Model"],
    "Explanation": ["Model/Target", "Model", "Evaluation", "Evidence"],
    "Evidence": ["Model"],
    "Source": ["Model/Target", "Model", "Evaluation", "Explanation", "Evidence"],
    "Monitoring/Collections": [],
    "Monitoring/Names": ["Model/Target", "Model", "Evaluation", "Source", "Monitoring/Collections"],
    "Monitoring/Delivery": ["Model"],
    "Monitoring": [
      "Model/Target", "Model", "Evaluation", "Source", "Monitoring/Collections",
      "Monitoring/Names", "Monitoring/Delivery", "Evidence",
    ],
    "Resolver": ["Model/Target", "Evaluation"],
    "Apple": ["Model/Target", "Model", "Evaluation", "Source", "Resolver"],
    "Linux/Names": ["Model/Target", "Model", "Resolver"],
    "Linux/Namespaces": ["Model", "Source", "Linux/Names"],
    "Linux/Probing": ["Model/Target", "Model", "Evaluation", "Explanation", "Source"],
    "Linux/Traffic": ["Model", "Evidence", "Source", "Linux/Kernel"],
    "Linux/Metering/DBus": [],
    "Linux/Metering": ["Model", "Evaluation", "Source", "Linux/Namespaces", "Linux/Metering/DBus"],
    "Linux/Portals": ["Model", "Evaluation", "Linux/Namespaces"],
    "Linux/Evaluation/Routes": ["Model/Target"],
    "Linux/Evaluation/Links": ["Model/Target", "Model", "Linux/Evaluation/Routes"],
    "Linux/Evaluation": [
      "Model/Target", "Model", "Evaluation", "Linux/Evaluation/Routes", "Linux/Evaluation/Links",
    ],
    "Linux/Explanation": [
      "Model/Target", "Model", "Evaluation", "Explanation", "Linux/Evaluation/Routes",
      "Linux/Evaluation/Links",
    ],
    "Linux/Kernel/Devices": ["Model", "Linux/Explanation"],
    "Linux/Kernel/IPsec": [
      "Model", "Source", "Linux/Evaluation", "Linux/Evaluation/Routes", "Linux/Explanation",
    ],
    "Linux/Kernel": [
      "Model/Target", "Model", "Evaluation", "Explanation", "Evidence", "Source", "Linux/Evaluation",
      "Linux/Evaluation/Routes", "Linux/Evaluation/Links", "Linux/Explanation", "Linux/Kernel/Devices",
      "Linux/Kernel/IPsec", "Linux/Portals",
    ],
    "Linux": [
      "Model/Target", "Model", "Evaluation", "Explanation", "Source", "Resolver",
      "Evidence", "Linux/Names", "Linux/Namespaces", "Linux/Probing", "Linux/Metering",
      "Linux/Kernel/Devices", "Linux/Kernel", "Linux/Traffic", "Linux/Portals",
    ],
  ]

  @Test func `the folders of ReachabilityKit depend on each other as drawn in CONTRIBUTING`() throws {
    let rooms = try rooms(of: "ReachabilityKit")
    #expect(Set(rooms.sizes.keys).subtracting([""]) == Set(Self.drawing.keys))
    for (room, allowed) in Self.drawing {
      let others = rooms.uses[room, default: [:]].filter { !allowed.contains($0.key) }
      #expect(others.values.joined().map(\.description).sorted() == [], "\(room)")
    }
  }

  /// What a daemon knows is added to a finished path, by the source alone.
  @Test func `no evaluator, driver or seam refers to metering`() throws {
    let texts = try Self.texts(of: "ReachabilityKit").filter { _, text in
      text.split(separator: "\n").contains {
        $0.contains(/(?i)metering/) && !$0.drop { $0 == " " }.hasPrefix("//")
      }
    }
    let rooms = Set(texts.keys.map { $0.split(separator: "/").dropLast().joined(separator: "/") })
    #expect(rooms == ["Linux", "Linux/Metering"])
  }

  @Test func `a deliberate cycle is found in any notation of a type`() {
    let sources = [
      "Upper/Engine.swift": "final class Engine { let source: any Source }",
      "Lower/Source.swift": "protocol Source { func start() }\nfunc ring() {}",
      "Lower/Clock.swift": "struct Clock { /* no Engine */ let name = \"Engine\" } // Engine",
    ]
    #expect(Rooms(sources).cycles == [])
    var broken = sources
    broken["Lower/Log.swift"] = "struct Log { var last: [Engine?] = [] }"
    #expect(
      Rooms(broken).cycles.map(\.description) == [
        "Lower/Log.swift uses Engine of Upper", "Upper/Engine.swift uses Source of Lower",
      ])
  }

  @Test func `each type that the page about the architecture names exists`() throws {
    let page = try String(contentsOfFile: "\(Self.sources)/../ARCHITECTURE.md", encoding: .utf8)
    let names = Set(page.matches(of: /`([A-Z]\w*)`/).map { String($0.1) }).subtracting(["RoomTests"])
    let text = try Self.modules.flatMap { try Self.texts(of: $0).values }.joined(separator: "\n")
    let declared = Set(
      text.matches(of: /(?:struct|class|enum|protocol) (?:\w+\.)*(\w+)/).map { String($0.1) })
    #expect(names.count > 30)
    #expect(names.subtracting(declared).sorted() == [])
  }

  @Test(arguments: modules) func `no folder has more than 16 files`(module: String) throws {
    #expect(try rooms(of: module).sizes.filter { $0.value > 16 } == [:])
  }

  @Test func `a file is one idea that can be read in one sitting`() throws {
    let modules = try Self.modules.map(Self.texts)
    let sizes = modules.flatMap {
      $0.map { path, text in (path, text.split(separator: "\n", omittingEmptySubsequences: false).count - 1) }
    }
    let lines = sizes.map(\.1).sorted()
    #expect(lines[lines.count / 2] >= 90)
    // What only exports modules, starts a program, differs between language modes or is written by the release.
    let short: Set<String> = [
      "Exports.swift", "main.swift", "SCNetworkReachabilityCallBack.swift", "PackageVersion.swift",
    ]
    #expect(
      sizes.filter { $0.1 <= 15 && !short.contains(String($0.0.split(separator: "/").last ?? "")) }.map(\.0)
        == [])
  }

  /// The name of a file begins that of a type in it: `Link.swift` defines `LinkMessage`.
  @Test(arguments: modules) func `a file defines the type in its name`(module: String) throws {
    let misnamed = try Self.texts(of: module).filter { path, text in
      let name = path.split(separator: "/").last?.dropLast(".swift".count) ?? ""
      guard !["main", "Exports"].contains(name) else { return false }
      let parts = name.split(separator: "+")
      guard let type = parts.first else { return true }
      // `\b` does not match the end of a word before a dot.
      let end = "(?:[^\\w]|$)"
      let kinds = "struct|class|enum|protocol|actor|typealias|func|let|macro"
      let declares = try Regex("(?:\(kinds)) (?:\\w+\\.)*\(type)").ignoresCase()
      // A function as in C belongs to the type that its name begins with, or that its first parameter has.
      let extends = try Regex(
        "extension (?:[\\w.\\[]*[.\\[])?\(type)\(end)|func \(type)[A-Z]|func \\w+\\(_ \\w+: \(type)\(end)")
      return !text.contains(parts.count == 1 ? declares : extends)
    }
    #expect(misnamed.keys.sorted() == [])
  }
}
