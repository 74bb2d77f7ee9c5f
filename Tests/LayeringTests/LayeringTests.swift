// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import DeadlineSupport
import Foundation
import Testing

/// The rules of imports between modules that the compiler does not know.
///
/// The build itself checks that module dependencies are acyclic
/// (`--explicit-target-dependency-import-check error`).
@Suite("Layers", .serialized, .onOwnThreads, .deadline)
struct LayeringTests {
  /// A source file: its path below `Sources`, and its text.
  private struct Source {
    var path: String
    var text: String

    var imports: Set<String> {
      let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
      return Set(
        lines.compactMap { $0.contains("import") && !$0[0].hasPrefix("//") ? String($0.last ?? "") : nil })
    }

    func isIn(_ folders: [String]) -> Bool { folders.contains { path.hasPrefix($0) } }
  }

  private let sources: [Source]

  init() throws {
    sources = try Self.sources(in: "Sources")
    try #require(sources.count > 40)
  }

  private static func sources(in folder: String) throws -> [Source] {
    let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    let root = package.appending(path: folder).path(percentEncoded: false)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(".swift") }
    return try paths.map { path in
      let text = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
      // Without the line of the licence.
      return Source(path: path, text: String(text.drop { $0 != "\n" }.dropFirst()))
    }
  }

  /// The folders that call an operating system, or are called by C; each is the only door to its system.
  private static let doors = [
    "CLibrary/", "POSIX/", "Netlink/System/", "ReachabilityKit/Apple/", "ReachabilityKit/Linux/",
    "ReachabilityKit/Resolver/",
    "CommandLineSupport/System/", "ReachabilityCLI/System/", "ReachabilityHistory/System/",
    "AFNetworkReachability/System/", "ClassicReachability/", "NetworkCopy/System/", "PacketTrace/System/",
    "ReachabilityC/", "ReachabilityHTTP/System/",
  ]

  /// The paths of the files that break a rule.
  private func offenders(_ breaksRule: (Source) -> Bool) -> [String] {
    sources.filter(breaksRule).map(\.path).sorted()
  }

  @Test func `C is imported only in the platform folders`() {
    let libraries: Set<String> = [
      "CLibrary", "Darwin", "Glibc", "Musl", "CCurl", "CGetopt", "CNamespaces", "CPOSIX",
    ]
    // Apple's SystemConfiguration exports the C library, so code from Apple platforms finds it there.
    let allowed = Self.doors + ["SocketAddressLengths/", "SystemConfigurationFunctions/Exports.swift"]
    #expect(offenders { !$0.imports.isDisjoint(with: libraries) && !$0.isIn(allowed) } == [])
  }

  /// The modules for code from Apple platforms, which uses Foundation in any case.
  private static let classic = [
    "SystemConfiguration/", "SystemConfigurationFunctions/", "ClassicReachability/",
    "AFNetworkReachability/", "AppleReachability/", "TMReachability/",
  ]

  @Test func `only requests, the reading of JSON and code from Apple platforms import Foundation`() {
    let modules: Set<String> = [
      "CoreFoundation", "Foundation", "FoundationEssentials", "FoundationNetworking",
    ]
    // Addresses of Apple's type are `Data`.
    let allowed = Self.classic + ["NetworkPaths/Model/", "ReachabilityHTTP/", "ReachabilityVerifyCLI/"]
    let json = "ReachabilityHistory/System/JSONText.swift"
    #expect(offenders { !$0.imports.isDisjoint(with: modules) && !$0.isIn(allowed + [json]) } == [])
    // The static command has the essentials only.
    let essentials = "#if canImport(FoundationEssentials)\nimport FoundationEssentials\n#else\n"
    #expect(offenders { $0.path == json && $0.text.hasPrefix(essentials) } == [json])
  }

  @Test func `delivery and model of SystemConfiguration do not import Foundation`() {
    let allowed: Set<String> = ["Dispatch", "ReachabilityKit", "Synchronization"]
    #expect(
      offenders {
        $0.isIn(["SystemConfigurationFunctions/Delivery/", "SystemConfigurationFunctions/Model/"])
          && !$0.imports.isSubset(of: allowed)
      } == [])
  }

  @Test func `the classic managers import none of the modules below SystemConfiguration`() {
    let ours: Set<String> = ["InternetProtocol", "Netlink", "ReachabilityKit", "ReachabilityTesting"]
    #expect(
      offenders { $0.isIn(Array(Self.classic.dropFirst(2))) && !$0.imports.isDisjoint(with: ours) } == [])
  }

  @Test func `model, evaluation and explanation import nothing, monitoring no platform`() {
    #expect(
      offenders {
        $0.isIn(["ReachabilityKit/Model/", "ReachabilityKit/Evaluation/", "ReachabilityKit/Explanation/"])
          && !$0.imports.isEmpty
      } == [])
    let allowed: Set<String> = ["Dispatch", "POSIX", "Synchronization"]
    #expect(offenders { $0.isIn(["ReachabilityKit/Monitoring/"]) && !$0.imports.isSubset(of: allowed) } == [])
  }

  @Test func `only the Linux platform, traces and rehearsals import Netlink`() {
    let allowed = [
      "Netlink/", "NetworkCopy/", "PacketTrace/", "ReachabilityKit/Linux/", "ReachabilityRehearsal/",
      "ReachabilityTraceCLI/",
    ]
    #expect(offenders { $0.imports.contains("Netlink") && !$0.isIn(allowed) } == [])
  }

  @Test func `the evaluation and explanation of the kernel's answers import only Netlink`() {
    let pure = ["ReachabilityKit/Linux/Evaluation/", "ReachabilityKit/Linux/Explanation/"]
    #expect(offenders { $0.isIn(pure) && !$0.imports.isSubset(of: ["Netlink"]) } == [])
  }

  @Test func `unsafe expressions occur only in platform folders and where bytes are decoded`() {
    let allowed =
      Self.doors + [
        "Netlink/Wire/", "SystemConfigurationFunctions/API/",
        "SystemConfigurationFunctions/CoreFoundation/",
        // Initializers of the originals take pointers.
        "AFNetworkReachability/AFNetworkReachabilityManager.swift",
        "AppleReachability/Reachability.swift",
        "TMReachability/Reachability.swift",
      ]
    #expect(offenders { $0.text.contains("unsafe ") && !$0.isIn(allowed) } == [])
  }

  @Test func `conditional compilation occurs only in platform folders and around whole files`() {
    // Key-value observing takes attributes that only Objective-C has; on Linux, requests are in another module.
    let allowed =
      Self.doors + [
        "Netlink/", "AFNetworkReachability/", "AppleReachability/", "TMReachability/", "ReachabilityHTTP/",
        // What Apple platforms have, and Linux gets.
        "NetworkPathMonitor/",
        "ReachabilityKit/SystemNetworkSource.swift",
        "ReachabilityTesting/SimulatedNetwork+SystemConfiguration.swift",
      ]
    #expect(offenders { $0.text.contains("#if ") && !$0.isIn(allowed) } == [])
    // watchOS has none of the functions of Apple's original: at most one condition around a whole file.
    let more = offenders { source in
      source.isIn(["AppleReachability/", "TMReachability/"]) && !source.isIn(Self.doors)
        && source.text.components(separatedBy: "#if ").count > (source.text.hasPrefix("#if ") ? 2 : 1)
    }
    #expect(more == [])
    let imports = offenders { source in
      source.isIn(["ReachabilityHTTP/"]) && !source.isIn(Self.doors)
        && source.text.components(separatedBy: "#if ").dropFirst()
          .contains { !$0.hasPrefix("canImport(FoundationNetworking)\n") }
    }
    #expect(imports == [])
    // Files of the Netlink module are for Linux only: one condition around the whole file.
    let rest = offenders { source in
      source.isIn(["Netlink/"]) && !source.isIn(Self.doors)
        && source.text.components(separatedBy: "#if ").count != 2
    }
    #expect(rest == [])
  }

  @Test func `commands in advice have names as words of a shell`() {
    let name = #/\b(?:dev|iif|oif|master|set) \\\((?<expression>[^)]*)/#
    let found = sources.flatMap { source in
      source.text.split(separator: "\n").filter { !$0.contains("problem:") }.flatMap { line in
        line.matches(of: name).map { "\(source.path): \($0.expression)" }
      }
    }
    #expect(found.count >= 5)
    #expect(found.filter { !$0.hasSuffix(".shellWord") && !$0.hasSuffix(": likelyDevice") } == [])
  }

  @Test func `no condition tests for SystemConfiguration, which this package also provides`() {
    #expect(offenders { $0.text.contains("canImport(SystemConfiguration)") } == [])
  }

  /// Packages that find a module of that name would compile code for all of Apple's framework.
  @Test func `no target is called Network`() throws {
    let manifest = try String(contentsOf: Script.package.appending(path: "Package.swift"), encoding: .utf8)
    #expect(manifest.contains("\"NetworkPathMonitor\"") && !manifest.contains("\"Network\""))
  }

  @Test func `every suite of tests has a deadline`() throws {
    let tests = try Self.sources(in: "Tests").filter {
      $0.text.contains("@Test") && !$0.isIn(["Client/"])
    }
    try #require(tests.count > 150)
    let offenders = tests.filter { source in
      let suites = source.text.components(separatedBy: "\n@Suite").dropFirst()
      // The tests of an extension belong to a suite in another file.
      if suites.isEmpty { return !source.text.contains("\nextension ") }
      return !suites.allSatisfy {
        $0.split(separator: #/\b(?:struct|class|enum|actor)\b/#)[0].contains(".deadline")
      }
    }
    #expect(offenders.map(\.path) == [])
  }

  @Test func `of three or more parameters, at most two have no label`() {
    let declaration = #/\b(?:func \w+|init[?!]?|subscript)(?:<[^>({]*>)?\(/#
    var count = 0
    let found = sources.flatMap { source in
      source.text.matches(of: declaration).compactMap { match -> String? in
        let name = source.text[match.range].dropLast()
        let parameters = Self.parameters(source.text[match.range.upperBound...])
        count += 1
        // Functions of Apple's API have its signatures, and those for C those of their header.
        let isGiven =
          source.isIn(["SystemConfigurationFunctions/"]) && name.contains(#/func (?:SC|CF)[A-Z]/#)
          || source.isIn(["ReachabilityC/"]) && name.hasPrefix("func reachability_")
        return !isGiven && parameters.count { $0.hasPrefix("_ ") } > 2 ? "\(source.path): \(name)" : nil
      }
    }
    #expect(found == [])
    #expect(count > 1000)
  }

  /// The parameters of a declaration whose text follows its opening parenthesis.
  private static func parameters(_ text: Substring) -> [String] {
    var (parameters, depth) = ([""], 0)
    for character in text {
      switch character {
      case "(", "[", "{": depth += 1
      case ")" where depth == 0: return parameters.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      case ")", "]", "}": depth -= 1
      case "," where depth == 0:
        parameters.append("")
        continue
      default: break
      }
      parameters[parameters.count - 1].append(character)
    }
    return []
  }

  @Test func `no file is longer than 500 lines`() {
    #expect(offenders { $0.text.split(separator: "\n", omittingEmptySubsequences: false).count > 500 } == [])
  }
}
