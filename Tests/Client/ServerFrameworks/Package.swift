// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Stands in the place of the server frameworks that the documentation has recipes for.
let package = Package(
  name: "server-frameworks",
  products: [.library(name: "ServerFrameworks", targets: ["ServerFrameworks"])],
  targets: [.target(name: "ServerFrameworks")]
)
