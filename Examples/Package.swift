// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// On Apple platforms the system has the module.
#if os(Linux)
let systemConfiguration: [Target.Dependency] = [
  .product(name: "SystemConfiguration", package: "reachability-kit")
]
#else
let systemConfiguration: [Target.Dependency] = []
#endif

let package = Package(
  name: "examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "reachability-kit", path: "..")],
  targets: [
    // What the programs share, and what is not about networks: options, signals, lines.
    .target(name: "ExampleSupport"),
    .executableTarget(
      name: "ClassicMonitor",
      dependencies: [
        "ExampleSupport", .product(name: "AFNetworkReachability", package: "reachability-kit"),
        .product(name: "AppleReachability", package: "reachability-kit"),
      ] + systemConfiguration),
    .executableTarget(
      name: "ConsoleMonitor",
      dependencies: ["ExampleSupport", .product(name: "ReachabilityKit", package: "reachability-kit")]),
    .executableTarget(
      name: "Downloader",
      dependencies: ["ExampleSupport", .product(name: "ReachabilityHTTP", package: "reachability-kit")]),
  ],
  swiftLanguageModes: [.v6]
)
