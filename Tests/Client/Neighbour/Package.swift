// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Another package of the graph, whose target and class have the name that many packages give them.
let package = Package(
  name: "neighbour",
  products: [.library(name: "Reachability", targets: ["Reachability"])],
  targets: [.target(name: "Reachability")]
)
