// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A package like a user's: code for Apple platforms that depends on this project's products by name. On Apple platforms
// the system has the module.
#if os(Linux)
let systemConfiguration: [Target.Dependency] = [
  .product(name: "SystemConfiguration", package: "reachability-kit")
]
let network: [Target.Dependency] = ["Network"]
let linuxTargets: [Target] = [
  // For files that import Network, unchanged: as the page NetworkPathMonitor describes it.
  .target(
    name: "Network", dependencies: [.product(name: "NetworkPathMonitor", package: "reachability-kit")])
]
#else
let systemConfiguration: [Target.Dependency] = []
let network: [Target.Dependency] = []
let linuxTargets: [Target] = []
#endif

/// All libraries, and another package's target `Reachability`.
let everything: [Target.Dependency] =
  systemConfiguration
  + [
    "AFNetworkReachability", "AppleReachability", "NetworkPathMonitor", "ReachabilityHTTP",
    "ReachabilityKit", "ReachabilityModels", "ReachabilityTesting", "TMReachability",
  ].map { .product(name: $0, package: "reachability-kit") } + [
    .product(name: "Reachability", package: "neighbour")
  ]
/// The modern libraries.
let modern: [Target.Dependency] = ["ReachabilityHTTP", "ReachabilityKit"].map {
  .product(name: $0, package: "reachability-kit")
}
let mainActor = SwiftSetting.defaultIsolation(MainActor.self)

let package = Package(
  name: "client",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    .package(name: "reachability-kit", path: "../.."), .package(path: "Neighbour"),
    .package(name: "server-frameworks", path: "ServerFrameworks"),
  ],
  targets: [
    .executableTarget(
      name: "swift5", dependencies: systemConfiguration, swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "managers",
      dependencies: [
        .product(name: "AFNetworkReachability", package: "reachability-kit"),
        .product(name: "AppleReachability", package: "reachability-kit"),
        .product(name: "TMReachability", package: "reachability-kit"),
      ]),
    .executableTarget(
      name: "swift6", dependencies: systemConfiguration, swiftSettings: [.swiftLanguageMode(.v6)]),
    // One file for each idiom of such code, in both language modes.
    .executableTarget(
      name: "idioms", dependencies: systemConfiguration, swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "idioms5", dependencies: systemConfiguration, swiftSettings: [.swiftLanguageMode(.v5)]),
    // Beside ordinary code, in both language modes; the files of one are links to those of the other.
    .testTarget(
      name: "EverythingTests", dependencies: everything, swiftSettings: [.swiftLanguageMode(.v6)]),
    .testTarget(
      name: "Everything5Tests", dependencies: everything, swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "own-names", dependencies: modern, swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "own-names5", dependencies: modern, swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "main-actor", dependencies: modern, swiftSettings: [mainActor, .swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "main-actor5", dependencies: modern, swiftSettings: [mainActor, .swiftLanguageMode(.v5)]),
    .executableTarget(name: "paths", dependencies: network, swiftSettings: [.swiftLanguageMode(.v5)]),
    // The recipes of the page UseWithServerFrameworks, with stand-ins for the frameworks.
    .executableTarget(
      name: "recipes",
      dependencies: [
        .product(name: "ReachabilityKit", package: "reachability-kit"),
        .product(name: "ReachabilityTesting", package: "reachability-kit"),
        .product(name: "ServerFrameworks", package: "server-frameworks"),
      ]),
  ] + linuxTargets
)
