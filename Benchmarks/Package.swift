// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "swift-reachability", path: "..")],
  targets: [
    .target(name: "CRaw"),
    .executableTarget(
      name: "benchmarks",
      dependencies: ["CRaw", .product(name: "Reachability", package: "swift-reachability")]),
    .executableTarget(
      name: "endurance", dependencies: [.product(name: "Reachability", package: "swift-reachability")]),
    .executableTarget(name: "peak"),
  ],
  swiftLanguageModes: [.v6]
)
