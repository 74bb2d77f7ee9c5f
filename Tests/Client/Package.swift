// swift-tools-version: 6.0
import PackageDescription

// A package as a user would have it: code written for Apple platforms, which knows nothing of this project but the name
// of its product. On Apple platforms the system has the module.
#if os(Linux)
let systemConfiguration: [Target.Dependency] = [
  .product(name: "SystemConfiguration", package: "reachability-kit")
]
#else
let systemConfiguration: [Target.Dependency] = []
#endif

let package = Package(
  name: "client",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "reachability-kit", path: "../..")],
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
  ]
)
