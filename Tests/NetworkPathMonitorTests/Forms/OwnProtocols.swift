// SPDX-License-Identifier: Apache-2.0
import Foundation
import NetworkPathMonitor

/// The program's own protocols, so that its tests can replace the monitor.
protocol PathMonitoring: AnyObject, Sendable {
  var pathUpdateHandler: (@Sendable (NWPath) -> Void)? { get set }
  var currentPath: NWPath { get }
  func start(queue: DispatchQueue)
  func cancel()
}

extension NWPathMonitor: PathMonitoring {}

protocol ConnectionDescribing {
  associatedtype Interface: InterfaceDescribing
  var status: NWPath.Status { get }
  var availableInterfaces: [Interface] { get }
  var isExpensive: Bool { get }
  var isConstrained: Bool { get }
}

protocol InterfaceDescribing {
  var name: String { get }
  var index: Int { get }
}

extension NWPath: ConnectionDescribing {}
extension NWInterface: InterfaceDescribing {}

/// Conformances that Apple's types lack.
extension NWInterface.InterfaceType: CaseIterable {
  /// All types that this program knows.
  public static var allCases: [NWInterface.InterfaceType] {
    [.other, .wifi, .cellular, .wiredEthernet, .loopback]
  }
}

extension NWPath.Status: CustomStringConvertible {
  /// A word for logs.
  public var description: String {
    switch self {
    case .satisfied: "online"
    case .unsatisfied: "offline"
    case .requiresConnection: "connecting"
    @unknown default: "unknown"
    }
  }
}

final class InjectedMonitor: Sendable {
  private let monitor: any PathMonitoring

  init(monitor: any PathMonitoring = NWPathMonitor()) {
    self.monitor = monitor
  }

  func begin(_ handler: @escaping @Sendable (String) -> Void) {
    monitor.pathUpdateHandler = { path in handler(Self.summary(of: path)) }
    monitor.start(queue: .global())
  }

  func end() { monitor.cancel() }

  private static func summary(of path: some ConnectionDescribing) -> String {
    ([path.status.description] + path.availableInterfaces.map(\.name)).joined(separator: " ")
  }
}
