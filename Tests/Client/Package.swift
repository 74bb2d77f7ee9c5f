// swift-tools-version: 6.0
import PackageDescription

// A package like a user's: code for Apple platforms that depends on this project's products by name. On Apple platforms
// the system has the module.
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
