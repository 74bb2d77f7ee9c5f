// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import Network

func describe(_ endpoint: NWEndpoint) -> String {
  switch endpoint {
  case .hostPort(let host, let port): return "\(host) port \(port.rawValue)"
  case .service(let name, let type, _, _): return "\(name) \(type)"
  case .unix(let path): return path
  case .url(let url): return url.host ?? "no host"
  case .opaque: return "opaque"
  @unknown default: return "new"
  }
}

/// Whether an address is only valid on this machine or this link.
func isNearby<Address: IPAddress>(_ address: Address) -> Bool {
  address.isLoopback || address.isLinkLocal
}

func octets(_ addresses: [any IPAddress]) -> [Int] { addresses.map { $0.rawValue.count } }

func length() -> Int {
  var address = sockaddr()
  address.sa_family = sa_family_t(AF_INET)
  return Int(address.sa_len)
}
