// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import NetworkPathMonitor
import Testing

/// Protocols as they were written before `@Sendable`; Swift 6 refuses them, for Apple's declaration too.
protocol LooseMonitoring: AnyObject {
  var pathUpdateHandler: ((NWPath) -> Void)? { get set }
  func start(queue: DispatchQueue)
  func cancel()
}

extension NWPathMonitor: LooseMonitoring {}

/// A class that is not `Sendable`, whose methods and closures are handlers nonetheless.
final class LooseModel {
  let monitor: any LooseMonitoring = NWPathMonitor()
  var paths: [NWPath] = []

  func append(_ path: NWPath) { paths.append(path) }
}

@Suite("Loose protocols", .deadline)
struct LooseProtocolTests {
  @Test func `a protocol without @Sendable takes the monitor in Swift 5 mode`() {
    let model = LooseModel()
    model.monitor.pathUpdateHandler = model.append
    model.monitor.pathUpdateHandler?(NWPathMonitor().currentPath)
    #expect(model.paths.map(\.status) == [.unsatisfied])
  }
}
