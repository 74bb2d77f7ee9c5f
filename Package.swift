// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// Every Swift target is compiled with the same strictness.
let strict: [SwiftSetting] = [.strictMemorySafety()]
/// A program that drives the libraries, which alone are optimized: optimizing it takes longer than all libraries.
func search(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .executableTarget(
    name: name,
    dependencies: dependencies + ["CommandLineSupport", "InternetProtocol", "LiveSupport", "SearchSupport"],
    path: "Tests/\(name)",
    swiftSettings: strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))])
}

/// Apple's frameworks, where the system has none: what the classic managers and the module of the path monitor depend on,
/// and nothing else.
#if os(Linux)
let networkPaths: [Target.Dependency] = ["NetworkPaths", "SocketAddressLengths"]
let systemConfiguration: [Target.Dependency] = ["SystemConfiguration"]
let systemConfigurationProducts: [Product] = [
  .library(name: "SystemConfiguration", targets: ["SystemConfiguration"])
]
/// The functions of share/include/reachability.h, which scripts/build-c-library links: `@c` came with Swift 6.3.
#if compiler(>=6.3)
let cLibrary: [Target] = [
  .systemLibrary(name: "CReachability"),
  .target(
    name: "ReachabilityC",
    dependencies: ["CLibrary", "CReachability", "CommandLineSupport", "POSIX", "ReachabilityKit"],
    swiftSettings: strict),
  .testTarget(
    name: "ReachabilityCTests",
    dependencies: [
      "CReachability", "ClassicSupport", "DeadlineSupport", "LiveSupport", "ReachabilityC", "ReachabilityKit",
      "RequirementSupport", "TestSupport",
    ],
    swiftSettings: strict),
]
#else
let cLibrary: [Target] = []
#endif
/// A firewall's rule that drops a packet: in a program apart, since it needs a privilege that nothing else does.
let packetTraceModule: [Target.Dependency] = ["PacketTrace"]
let linuxCommands: [Target.Dependency] = ["ReachabilityRehearseCLI", "ReachabilityTraceCLI"]
/// A copy of the network, in which tests follow advice first.
let rehearsal: [Target.Dependency] = ["ReachabilityRehearsal"]
let linuxProducts: [Product] = [
  .executable(name: "reachability-rehearse", targets: ["ReachabilityRehearseCLI"]),
  .executable(name: "reachability-trace", targets: ["ReachabilityTraceCLI"]),
  .library(name: "ReachabilityRehearsal", targets: ["ReachabilityRehearsal"]),
]
let linuxTargets: [Target] = [
  .target(
    name: "PacketTrace", dependencies: ["CLibrary", "CPOSIX", "InternetProtocol", "Netlink", "POSIX"],
    swiftSettings: strict),
  .executableTarget(
    name: "ReachabilityTraceCLI",
    dependencies: ["CommandLineSupport", "InternetProtocol", "Netlink", "PacketTrace", "POSIX"],
    swiftSettings: strict),
  .testTarget(
    name: "PacketTraceTests",
    dependencies: [
      "CommandLineSupport", "CommandSupport", "DeadlineSupport", "InternetProtocol", "LiveSupport", "Netlink",
      "NetlinkSupport", "PacketTrace", "ReachabilityTraceCLI", "RequirementSupport", "TestSupport",
    ],
    swiftSettings: strict),
  // What would happen: a copy of the network in namespaces of its own, and a place for commands that cannot leave it.
  .systemLibrary(name: "CNamespaces"),
  .target(
    name: "NetworkCopy",
    dependencies: ["CLibrary", "CNamespaces", "CPOSIX", "InternetProtocol", "Netlink", "POSIX"],
    swiftSettings: strict),
  .target(
    name: "ReachabilityRehearsal",
    dependencies: ["InternetProtocol", "Netlink", "NetworkCopy", "POSIX", "ReachabilityKit"],
    swiftSettings: strict),
  .executableTarget(
    name: "ReachabilityRehearseCLI",
    dependencies: [
      "CommandLineSupport", "CommandLineTargets", "InternetProtocol", "NetworkCopy", "POSIX",
      "ReachabilityKit", "ReachabilityRehearsal",
    ],
    swiftSettings: strict),
  .testTarget(
    name: "ReachabilityRehearsalTests",
    dependencies: [
      "CommandSupport", "DeadlineSupport", "LiveSupport", "Netlink", "NetworkCopy", "ReachabilityKit",
      "ReachabilityRehearsal", "ReachabilityRehearseCLI", "RequirementSupport", "TestSupport",
    ],
    swiftSettings: strict),
  .target(name: "NetworkPaths", dependencies: ["ReachabilityKit"], swiftSettings: strict),
  // Declared once for the two modules above it, which one file may import both.
  .target(name: "SocketAddressLengths", dependencies: ["CLibrary"], swiftSettings: strict),
  .testTarget(
    name: "NetworkPathMonitorTests",
    dependencies: [
      "ClassicSupport", "DeadlineSupport", "LiveSupport", "NetworkPathMonitor", "NetworkPaths",
      "ReachabilityKit", "ReachabilityTesting", "RequirementSupport", "TestSupport",
    ],
    swiftSettings: strict),
  // The forms of real code once more, in the other language mode: links to the files of the target above.
  .testTarget(
    name: "NetworkPathMonitor5Tests",
    dependencies: [
      "ClassicSupport", "DeadlineSupport", "LiveSupport", "NetworkPathMonitor", "ReachabilityKit",
      "RequirementSupport", "TestSupport",
    ],
    swiftSettings: strict + [.swiftLanguageMode(.v5)]),
  // The names of the framework's submodules.
  .systemLibrary(name: "CSystemConfiguration"),
  .target(
    name: "SystemConfiguration",
    dependencies: [
      "CSystemConfiguration",
      "SystemConfigurationFunctions", "SystemConfigurationSwift5", "SystemConfigurationSwift6",
    ],
    swiftSettings: strict),
  .target(
    name: "SystemConfigurationFunctions",
    dependencies: ["CLibrary", "ReachabilityKit", "SocketAddressLengths"],
    swiftSettings: strict),
  // What differs between the language modes of the importing file.
  .target(
    name: "SystemConfigurationSwift5", dependencies: ["SystemConfigurationFunctions"], swiftSettings: strict),
  .target(
    name: "SystemConfigurationSwift6", dependencies: ["SystemConfigurationFunctions"], swiftSettings: strict),
  .testTarget(
    name: "SystemConfigurationTests",
    dependencies: [
      "DeadlineSupport", "LiveSupport", "ReachabilityKit", "ReachabilityTesting", "RequirementSupport",
      "SystemConfiguration", "SystemConfigurationFunctions",
    ],
    swiftSettings: strict),
  // The files that ask Apple's systems, compiled and run here too.
  .testTarget(
    name: "AppleDoorTests",
    dependencies: [
      "DeadlineSupport", "InternetProtocol", "POSIX", "ReachabilityKit", "ReachabilityTesting",
      "SystemConfiguration",
    ],
    swiftSettings: strict + [.define("APPLE_DOOR")]),
  // What the programs share that change networks for minutes and compare: neither products nor tests by themselves.
  .target(
    name: "SearchSupport",
    dependencies: ["CommandLineSupport", "LiveSupport", "POSIX", "ReachabilityKit"],
    path: "Tests/SearchSupport",
    swiftSettings: strict),
  // Stands in the place of a function of the C library, in one of the programs only.
  .target(name: "CRandomWalk", path: "Tests/CRandomWalk"),
  // Sockets and tunnel devices of many namespaces.
  .target(name: "CRandomTraffic", path: "Tests/CRandomTraffic"),
  // scripts/search runs them, and Benchmarks/truth the last one.
  search("RandomWalk", "CRandomWalk", "CommandSupport", "ReachabilityKit", "ReachabilityRehearsal"),
  search("RandomBoots", "CommandSupport", "TestSupport"),
  search("RandomTraffic", "CRandomTraffic", "POSIX", "ReachabilityKit", "TestSupport"),
  search("Soak", "Netlink", "NetlinkSupport", "ReachabilityKit", "TestSupport"),
  search("Truth", "CommandSupport", "ReachabilityKit", "ReachabilityRehearsal"),
  // Only on Linux can a test say what the network is.
  .target(
    name: "ClassicSupport",
    dependencies: [
      "LiveSupport", "ReachabilityKit", "ReachabilityTesting", "SystemConfiguration", "TestSupport",
    ],
    path: "Tests/ClassicSupport",
    swiftSettings: strict),
  .testTarget(
    name: "AppleReachabilityTests",
    dependencies: [
      "AppleReachability", "ClassicSupport", "DeadlineSupport", "LiveSupport", "ReachabilityKit",
      "ReachabilityTesting", "RequirementSupport", "SystemConfiguration",
    ],
    swiftSettings: strict),
  .testTarget(
    name: "TMReachabilityTests",
    dependencies: [
      "ClassicSupport", "DeadlineSupport", "LiveSupport", "POSIX", "ReachabilityKit",
      "ReachabilityTesting", "RequirementSupport", "SystemConfiguration", "TMReachability",
    ],
    swiftSettings: strict),
]
let classicSupport: [Target.Dependency] = ["ClassicSupport"]
#else
let classicSupport: [Target.Dependency] = []
let networkPaths: [Target.Dependency] = []
let systemConfiguration: [Target.Dependency] = []
let systemConfigurationProducts: [Product] = []
let cLibrary: [Target] = []
let linuxProducts: [Product] = []
let packetTraceModule: [Target.Dependency] = []
let linuxCommands: [Target.Dependency] = []
let rehearsal: [Target.Dependency] = []
let linuxTargets: [Target] = []
#endif

let package = Package(
  name: "reachability-kit",
  defaultLocalization: "en",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "AFNetworkReachability", targets: ["AFNetworkReachability"]),
    .library(name: "AppleReachability", targets: ["AppleReachability"]),
    .library(name: "NetworkPathMonitor", targets: ["NetworkPathMonitor"]),
    .library(name: "ReachabilityKit", targets: ["ReachabilityKit"]),
    .library(name: "ReachabilityHTTP", targets: ["ReachabilityHTTP"]),
    .library(name: "ReachabilityModels", targets: ["ReachabilityModels"]),
    .library(name: "ReachabilityTesting", targets: ["ReachabilityTesting"]),
    .library(name: "TMReachability", targets: ["TMReachability"]),
    .executable(name: "reachability", targets: ["ReachabilityCLI"]),
    .executable(name: "reachability-report", targets: ["ReachabilityReportCLI"]),
    .executable(name: "reachability-verify", targets: ["ReachabilityVerifyCLI"]),
  ] + systemConfigurationProducts + linuxProducts,
  targets: [
    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "CGetopt"),
    .systemLibrary(name: "CPOSIX"),
    .target(name: "CLibrary", swiftSettings: strict),
    .target(
      name: "POSIX",
      dependencies: ["CLibrary", .target(name: "CPOSIX", condition: .when(platforms: [.linux]))],
      swiftSettings: strict),
    .target(name: "InternetProtocol", swiftSettings: strict),
    .target(
      name: "Netlink",
      dependencies: [
        "CLibrary", "InternetProtocol", "POSIX",
        .target(name: "CPOSIX", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: strict),
    .target(
      name: "ReachabilityKit",
      dependencies: [
        "CLibrary", "InternetProtocol", "POSIX",
        .target(name: "CPOSIX", condition: .when(platforms: [.linux])),
        .target(name: "Netlink", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: strict),
    .target(
      name: "ReachabilityHTTP",
      dependencies: [
        "POSIX", "ReachabilityKit",
        .target(name: "CCurl", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: strict),
    .target(
      name: "ReachabilityTesting",
      dependencies: ["POSIX", "ReachabilityKit"],
      swiftSettings: strict),
    // Values to observe, apart so that programs without Observation do not link it.
    .target(name: "ReachabilityModels", dependencies: ["ReachabilityKit"], swiftSettings: strict),
    // The shape of Apple's path monitor: the system's module on Apple platforms.
    .target(name: "NetworkPathMonitor", dependencies: networkPaths, swiftSettings: strict),
    // The system's reachability functions, as the classic managers call them.
    .target(name: "ClassicReachability", dependencies: systemConfiguration, swiftSettings: strict),
    .target(
      name: "AFNetworkReachability",
      dependencies: ["ClassicReachability"] + systemConfiguration,
      resources: [.process("Resources")],
      swiftSettings: strict),
    .target(
      name: "AppleReachability",
      dependencies: ["ClassicReachability"] + systemConfiguration,
      swiftSettings: strict),
    .target(
      name: "TMReachability",
      dependencies: ["ClassicReachability"] + systemConfiguration,
      resources: [.process("Resources")],
      swiftSettings: strict),
    // What the commands share; without Foundation, which one of them does not have.
    .target(
      name: "CommandLineSupport",
      dependencies: [
        "CGetopt", "CLibrary", "InternetProtocol", "POSIX",
        .target(name: "CPOSIX", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: strict),
    // The targets of the commands that have the library.
    .target(
      name: "CommandLineTargets",
      dependencies: ["CommandLineSupport", "InternetProtocol", "ReachabilityKit"],
      swiftSettings: strict),
    .executableTarget(
      name: "ReachabilityCLI",
      dependencies: ["CLibrary", "CommandLineSupport", "CommandLineTargets", "POSIX", "ReachabilityKit"],
      swiftSettings: strict),
    // Records of the past: reading, timelines and pictures. Of Foundation only the essentials: its command is static.
    .target(
      name: "ReachabilityHistory",
      dependencies: ["CLibrary", "CommandLineSupport", "POSIX", "ReachabilityKit"],
      resources: [.embedInCode("Page/page.html")],
      swiftSettings: strict),
    // A command apart: the page and the reading of records would make the other one larger for each check.
    .executableTarget(
      name: "ReachabilityReportCLI",
      dependencies: ["CommandLineSupport", "POSIX", "ReachabilityHistory"],
      swiftSettings: strict),
    // A command apart: what makes requests needs Foundation, which would make the other one five times as large.
    .executableTarget(
      name: "ReachabilityVerifyCLI",
      dependencies: ["CommandLineSupport", "ReachabilityKit", "ReachabilityHTTP"],
      swiftSettings: strict),
    .testTarget(
      name: "InternetProtocolTests",
      dependencies: ["DeadlineSupport", "InternetProtocol", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "NetlinkTests",
      dependencies: ["DeadlineSupport", "InternetProtocol", "LiveSupport", "Netlink", "NetlinkSupport"]
        + packetTraceModule,
      resources: [.copy("Fixtures")],
      swiftSettings: strict),
    .testTarget(
      name: "ReachabilityKitTests",
      dependencies: [
        "DeadlineSupport", "InternetProtocol", "Netlink", "NetlinkSupport", "ReachabilityKit",
        "ReachabilityTesting", "RequirementSupport", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ReachabilityCLITests",
      dependencies: [
        "CommandLineSupport", "CommandSupport", "DeadlineSupport", "LiveSupport", "ReachabilityKit",
        "ReachabilityCLI", "ReachabilityReportCLI", "ReachabilityVerifyCLI", "TestSupport",
      ] + linuxCommands,
      swiftSettings: strict),
    .testTarget(
      name: "ReachabilityHistoryTests",
      dependencies: [
        "CommandLineSupport", "CommandSupport", "DeadlineSupport", "ReachabilityHistory",
        "ReachabilityReportCLI", "RequirementSupport", "TestSupport",
      ],
      // Run by the tests that compare with them.
      exclude: ["Support/hostile.py", "Support/records.py"],
      swiftSettings: strict),
    .testTarget(
      name: "ReachabilityHTTPTests",
      dependencies: [
        "CommandLineSupport", "CommandSupport", "DeadlineSupport", "LiveSupport", "ReachabilityKit",
        "ReachabilityHTTP", "ReachabilityTesting", "ReachabilityVerifyCLI",
      ],
      swiftSettings: strict),
    // Foundation's requests use threads of their own, so what is to happen in another network is a process there.
    .executableTarget(
      name: "RequestProgram",
      dependencies: ["ReachabilityKit", "ReachabilityHTTP", "TestSupport"],
      path: "Tests/RequestProgram",
      swiftSettings: strict),
    .testTarget(
      name: "ReachabilityModelsTests",
      dependencies: [
        "DeadlineSupport", "ReachabilityKit", "ReachabilityModels", "ReachabilityTesting", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "AFNetworkReachabilityTests",
      dependencies: [
        "AFNetworkReachability", "ClassicReachability", "DeadlineSupport", "LiveSupport", "ReachabilityKit",
        "ReachabilityTesting", "RequirementSupport",
      ] + classicSupport + systemConfiguration,
      swiftSettings: strict),
    .testTarget(
      name: "LayeringTests", dependencies: ["CommandSupport", "DeadlineSupport", "RequirementSupport"],
      swiftSettings: strict),
    // The kernel's side of netlink: encoders, and the table of decoders that the fuzzer shares.
    .target(
      name: "NetlinkSupport",
      dependencies: ["InternetProtocol", "Netlink"] + packetTraceModule,
      path: "Tests/NetlinkSupport",
      swiftSettings: strict),
    // Gives tests threads of their own, and ends one that hangs.
    .target(name: "DeadlineSupport", path: "Tests/DeadlineSupport", swiftSettings: strict),
    // Skips the tests that cannot run on this machine.
    .target(
      name: "RequirementSupport", dependencies: ["DeadlineSupport", "LiveSupport"],
      path: "Tests/RequirementSupport",
      swiftSettings: strict),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    .target(name: "CLiveSupport", path: "Tests/CLiveSupport"),
    .target(
      name: "LiveSupport",
      dependencies: ["TestSupport", .target(name: "CLiveSupport", condition: .when(platforms: [.linux]))],
      path: "Tests/LiveSupport",
      // Compiled by the tests that preload it.
      exclude: ["Preload"],
      swiftSettings: strict),
    // Runs built commands, in networks with name servers of their own.
    .target(
      name: "CommandSupport",
      dependencies: ["LiveSupport", "RequirementSupport"],
      path: "Tests/CommandSupport",
      swiftSettings: strict),
    .testTarget(
      name: "LiveTests",
      dependencies: [
        "DeadlineSupport", "InternetProtocol", "LiveSupport", "Netlink", "NetlinkSupport", "ReachabilityKit",
        "RequirementSupport", "TestSupport",
      ] + rehearsal,
      swiftSettings: strict),
  ] + linuxTargets + cLibrary,
  swiftLanguageModes: [.v6]
)
