// SPDX-License-Identifier: Apache-2.0
import Foundation

import enum NetworkPathMonitor.NWEndpoint
import struct NetworkPathMonitor.NWInterface
import struct NetworkPathMonitor.NWPath
import class NetworkPathMonitor.NWPathMonitor

/// Names with their module, scoped imports, endpoints and the newest members.
enum Details {
  static func gatewayAddress(of path: NetworkPathMonitor.NWPath) -> String? {
    guard let gateway = path.gateways.first, case .hostPort(let host, _) = gateway else { return nil }
    switch host {
    case .ipv4(let address): return address.rawValue.map(String.init).joined(separator: ".")
    case .ipv6(let address): return address.debugDescription
    case .name(let name, _): return name
    @unknown default: return nil
    }
  }

  static func names(of path: NWPath) -> [String] {
    path.availableInterfaces.map { (interface: NetworkPathMonitor.NWInterface) -> String in
      "\(interface) \(interface.index > 0) \(interface.type)"
    }
  }

  static func families(of path: NWPath) -> String {
    [(path.supportsIPv4, "v4"), (path.supportsIPv6, "v6"), (path.supportsDNS, "dns")].filter(\.0).map(\.1)
      .joined(separator: " ")
  }

  static func advice(for path: NWPath) -> String {
    if #available(iOS 26, macOS 26, *) {
      if path.isUltraConstrained || path.linkQuality == .minimal { return "wait" }
    }
    if path.isConstrained || path.isExpensive { return "save" }
    switch (path.status, path.unsatisfiedReason) {
    case (.satisfied, _): return "go"
    case (_, .cellularDenied), (_, .wifiDenied), (_, .localNetworkDenied): return "ask"
    case (.requiresConnection, _): return "dial"
    default: return "none"
    }
  }
}
