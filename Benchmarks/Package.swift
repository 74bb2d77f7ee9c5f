// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "reachability-kit", path: "..")],
  targets: [
    .target(name: "CRaw"),
    .executableTarget(
      name: "benchmarks",
      dependencies: ["CRaw", .product(name: "ReachabilityKit", package: "reachability-kit")]),
    .executableTarget(
      name: "endurance", dependencies: [.product(name: "ReachabilityKit", package: "reachability-kit")]),
    .executableTarget(name: "peak"),
  ],
  swiftLanguageModes: [.v6]
)
