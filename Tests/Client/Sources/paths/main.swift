// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import Network

print("conditional:", Connectivity().isOnline())
print("qualified:", await Interfaces(only: .wiredEthernet).names(), NWPath(segments: ["own"]).segments)
let endpoints: [NWEndpoint] = [
  .hostPort(host: "192.0.2.1", port: .https), .hostPort(host: .ipv6(.loopback), port: NWEndpoint.Port("53")!),
  .url(URL(string: "https://example.com/")!), .unix(path: "/run/app.socket"),
]
print("endpoints:", endpoints.map(describe).joined(separator: ", "))
print("addresses:", isNearby(IPv4Address.loopback), isNearby(IPv4Address.any), octets([IPv4Address.broadcast, IPv6Address.any]))
print("length:", length())
