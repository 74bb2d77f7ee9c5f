import DeadlineSupport
import Foundation
import Testing

/// The rules of who may import what, which the compiler does not know of.
///
/// That no arrow between targets turns round is checked by the build itself
/// (`--explicit-target-dependency-import-check error`).
@Suite("Layers", .deadline)
struct LayeringTests {
  /// A source file: its path below `Sources`, and what it says.
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
      Source(path: path, text: try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8))
    }
  }

  /// The only doors to an operating system.
  private static let doors = [
    "POSIX/", "Netlink/System/", "ReachabilityKit/Apple/", "ReachabilityKit/Linux/",
    "CommandLineSupport/System/", "ReachabilityCLI/System/",
    "AFNetworkReachability/System/", "ClassicReachability/", "ReachabilityHTTP/System/",
    "TMReachability/System/",
  ]

  /// Paths of the files that break a rule.
  private func offenders(_ breaksRule: (Source) -> Bool) -> [String] {
    sources.filter(breaksRule).map(\.path).sorted()
  }

  @Test func `C is used only behind the doors`() {
    let libraries: Set<String> = ["Darwin", "Glibc", "Musl", "CCurl", "CGetopt", "CPOSIX"]
    #expect(offenders { !$0.imports.isDisjoint(with: libraries) && !$0.isIn(Self.doors) } == [])
  }

  /// What code for Apple platforms meets: it has Foundation anyhow.
  private static let classic = [
    "SystemConfiguration/", "ClassicReachability/", "AFNetworkReachability/", "AppleReachability/",
    "TMReachability/",
  ]

  @Test func `Foundation is used only for requests and by what code for Apple platforms meets`() {
    let modules: Set<String> = [
      "CoreFoundation", "Foundation", "FoundationEssentials", "FoundationNetworking",
    ]
    let allowed = Self.classic + ["ReachabilityHTTP/", "ReachabilityVerifyCLI/"]
    #expect(offenders { !$0.imports.isDisjoint(with: modules) && !$0.isIn(allowed) } == [])
  }

  @Test func `what a scheduled target does is decided without Foundation`() {
    let allowed: Set<String> = ["Dispatch", "ReachabilityKit", "Synchronization"]
    #expect(
      offenders {
        $0.isIn(["SystemConfiguration/Delivery/", "SystemConfiguration/Model/"])
          && !$0.imports.isSubset(of: allowed)
      } == [])
  }

  @Test func `the classic managers know nothing of ours but SystemConfiguration`() {
    let ours: Set<String> = ["InternetProtocol", "Netlink", "ReachabilityKit", "ReachabilityTesting"]
    #expect(
      offenders { $0.isIn(Array(Self.classic.dropFirst())) && !$0.imports.isDisjoint(with: ours) } == [])
  }

  @Test func `model and evaluation import nothing, monitoring only what delivers`() {
    #expect(
      offenders { $0.isIn(["ReachabilityKit/Model/", "ReachabilityKit/Evaluation/"]) && !$0.imports.isEmpty }
        == [])
    let allowed: Set<String> = ["Dispatch", "Synchronization"]
    #expect(offenders { $0.isIn(["ReachabilityKit/Monitoring/"]) && !$0.imports.isSubset(of: allowed) } == [])
  }

  @Test func `rtnetlink is spoken to only by the platform`() {
    let allowed = ["Netlink/", "ReachabilityKit/Linux/"]
    #expect(offenders { $0.imports.contains("Netlink") && !$0.isIn(allowed) } == [])
  }

  @Test func `unsafe expressions stand only behind the doors and where bytes become values`() {
    let allowed =
      Self.doors + [
        "Netlink/Wire/", "SystemConfiguration/API/", "SystemConfiguration/CoreFoundation/",
        // Initializers of the originals take pointers.
        "AFNetworkReachability/AFNetworkReachabilityManager.swift",
        "AppleReachability/Reachability+Address.swift",
        "TMReachability/Reachability+Making.swift",
      ]
    #expect(offenders { $0.text.contains("unsafe ") && !$0.isIn(allowed) } == [])
  }

  @Test func `nothing depends on the operating system but whole files and what is behind the doors`() {
    // Observing keys takes attributes that there are only with Objective-C; requests are another module's on Linux.
    let allowed =
      Self.doors + [
        "Netlink/", "AFNetworkReachability/", "AppleReachability/", "TMReachability/", "ReachabilityHTTP/",
        "ReachabilityKit/SystemNetworkSource.swift",
      ]
    #expect(offenders { $0.text.contains("#if ") && !$0.isIn(allowed) } == [])
    // A watch has none of Apple's functions: at most one condition around all of a file.
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
    // Files of the Netlink module are for Linux as a whole: one condition around all of it.
    let rest = offenders { source in
      source.isIn(["Netlink/"]) && !source.isIn(Self.doors)
        && source.text.components(separatedBy: "#if ").count != 2
    }
    #expect(rest == [])
  }

  @Test func `whether SystemConfiguration is there tells nothing, since it may be ours`() {
    #expect(offenders { $0.text.contains("canImport(SystemConfiguration)") } == [])
  }

  @Test func `every suite of tests has a deadline`() throws {
    let tests = try Self.sources(in: "Tests").filter { $0.text.contains("@Test") }
    try #require(tests.count > 150)
    let offenders = tests.filter { source in
      let suites = source.text.components(separatedBy: "\n@Suite").dropFirst()
      // What an extension has belongs to a suite of another file.
      if suites.isEmpty { return !source.text.contains("\nextension ") }
      return !suites.allSatisfy {
        $0.split(separator: #/\b(?:struct|class|enum|actor)\b/#)[0].contains(".deadline")
      }
    }
    #expect(offenders.map(\.path) == [])
  }

  @Test func `no file is longer than 500 lines`() {
    #expect(offenders { $0.text.split(separator: "\n", omittingEmptySubsequences: false).count > 500 } == [])
  }
}
