// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization

// The parts of Apple's Network framework that the door uses, as in its Swift interface (macOS 15), so that the door's own
// files compile here. Types with a public initializer have the same one here. The others have an initializer for tests.

protocol IPAddress: Sendable {
  var rawValue: Data { get }
  var interface: NWInterface? { get }
}

struct IPv4Address: IPAddress, Hashable {
  let rawValue: Data
  let interface: NWInterface?

  init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
    guard rawValue.count == 4 else { return nil }
    self.rawValue = rawValue
    self.interface = interface
  }
}

struct IPv6Address: IPAddress, Hashable {
  let rawValue: Data
  let interface: NWInterface?

  init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
    guard rawValue.count == 16 else { return nil }
    self.rawValue = rawValue
    self.interface = interface
  }
}

struct NWInterface: Hashable, Sendable {
  enum InterfaceType: Sendable {
    case other
    case wifi
    case cellular
    case wiredEthernet
    case loopback
  }

  var type: InterfaceType
  var name: String
  var index: Int
}

enum NWEndpoint: Hashable, Sendable {
  case hostPort(host: NWEndpoint.Host, port: NWEndpoint.Port)
  case service(name: String, type: String, domain: String, interface: NWInterface?)
  case unix(path: String)
  case url(URL)

  enum Host: Hashable, Sendable {
    case name(String, NWInterface?)
    case ipv4(IPv4Address)
    case ipv6(IPv6Address)

    var interface: NWInterface? {
      switch self {
      case .name(_, let interface): interface
      case .ipv4(let address): address.interface
      case .ipv6(let address): address.interface
      }
    }
  }

  struct Port: Hashable, Sendable {
    static let any = Port()
  }

  var interface: NWInterface? {
    switch self {
    case .hostPort(let host, _): host.interface
    case .service(_, _, _, let interface): interface
    case .unix, .url: nil
    }
  }
}

struct NWPath: Equatable, Sendable {
  enum Status: Sendable {
    case satisfied
    case unsatisfied
    case requiresConnection
  }

  enum UnsatisfiedReason: Sendable {
    case notAvailable
    case cellularDenied
    case wifiDenied
    case localNetworkDenied
    case vpnInactive
  }

  let status: Status
  var unsatisfiedReason = UnsatisfiedReason.notAvailable
  let availableInterfaces: [NWInterface]
  let isExpensive: Bool
  var isConstrained = false
  let supportsIPv4: Bool
  let supportsIPv6: Bool
  let supportsDNS: Bool
  var gateways: [NWEndpoint] = []
}

/// A monitor of the paths of the ``PlayedNetwork`` that it was created in.
final class NWPathMonitor: Sendable {
  private struct State {
    var handler: (@Sendable (NWPath) -> Void)?
    var queue: DispatchQueue?
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let network = PlayedNetwork.current

  init() {}

  var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
    get { state.withLock { $0.handler } }
    set { state.withLock { $0.handler = newValue } }
  }

  /// Starts calling the handler, first with the current path; may be called once.
  func start(queue: DispatchQueue) {
    let isFirst = state.withLock { state in
      guard state.queue == nil, !state.isCancelled else { return false }
      state.queue = queue
      return true
    }
    if isFirst { network?.add(self) }
  }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    network?.remove(self)
  }

  /// Delivers a path on the queue.
  fileprivate func deliver(_ path: NWPath) {
    state.withLock { $0.queue }?.async { [self] in
      let handler = state.withLock { $0.isCancelled ? nil : $0.handler }
      handler?(path)
    }
  }

  /// Waits until all delivered paths have been handled.
  fileprivate func settle() {
    state.withLock { $0.queue }?.sync {}
  }
}

/// The network that a simulated Apple system reports.
final class PlayedNetwork: Sendable {
  private struct State {
    var path: NWPath?
    var monitors: [NWPathMonitor] = []
  }

  /// The network of monitors that this task creates.
  @TaskLocal static var current: PlayedNetwork?

  private let state: Mutex<State>

  /// Creates a network.
  ///
  /// - Parameter path: The initial path; with `nil`, monitors deliver nothing before ``play(_:)``.
  init(_ path: NWPath?) {
    state = Mutex(State(path: path))
  }

  /// The number of running monitors.
  var monitors: Int { state.withLock { $0.monitors.count } }

  /// Changes the path.
  func play(_ path: NWPath) {
    state.withLock { state in
      state.path = path
      for monitor in state.monitors { monitor.deliver(path) }
    }
  }

  /// Waits until all paths have been handled.
  func settle() {
    for monitor in state.withLock({ $0.monitors }) { monitor.settle() }
  }

  fileprivate func add(_ monitor: NWPathMonitor) {
    state.withLock { state in
      state.monitors.append(monitor)
      if let path = state.path { monitor.deliver(path) }
    }
  }

  fileprivate func remove(_ monitor: NWPathMonitor) {
    state.withLock { state in state.monitors.removeAll { $0 === monitor } }
  }
}
