// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Dispatch
import Foundation
import LiveSupport
import Synchronization
import Testing

@testable import ReachabilityKit

/// A lab with an observer of the path, which keeps every delivered path in order.
final class PathLab: Sendable {
  let lab: Lab
  let monitor: ReachabilityMonitor
  /// The path of the file that lists the name servers.
  let resolverConfiguration: String
  private let received = Mutex<[ReachabilityPath]>([])
  private let news = DispatchSemaphore(value: 0)
  private let observation = Mutex<ReachabilityObservation?>(nil)

  /// Observes the path of a lab after the closure has prepared it.
  ///
  /// - Parameter nameServers: The name servers in the file; `nil` for no file and no name server.
  init(
    _ family: Lab.Family = .both, defaultRoutes: Bool = true, nameServers: String? = nil,
    requirements: ReachabilityPath.Requirements = .none, _ prepare: (Lab) throws -> Void = { _ in }
  ) throws {
    let lab = try Lab(family, defaultRoutes: defaultRoutes)
    self.lab = lab
    try prepare(lab)
    try lab.waitForAddresses()
    let file = FileManager.default.temporaryDirectory.appending(path: "resolv-\(UUID().uuidString)")
      .path(percentEncoded: false)
    resolverConfiguration = file
    if let nameServers {
      try nameServers.write(toFile: file, atomically: true, encoding: .utf8)
    }
    monitor = try lab.host.run {
      // A missing file means no name servers; a file without servers means this machine.
      let source =
        nameServers == nil
        ? try LinuxNetworkSource(names: nil) : try LinuxNetworkSource(resolverConfiguration: file)
      return ReachabilityMonitor(source: source)
    }
    let queue = DispatchQueue(label: "path")
    let token = monitor.observePath(requirements, on: queue) { [weak self] path in self?.note(path) }
    observation.withLock { $0 = token }
    wait("the first path") { !$0.isEmpty }
  }

  deinit { try? FileManager.default.removeItem(atPath: resolverConfiguration) }

  private func note(_ path: ReachabilityPath) {
    received.withLock { $0.append(path) }
    news.signal()
  }

  var paths: [ReachabilityPath] { received.withLock { $0 } }

  /// Blocks until the delivered paths meet the condition; records an issue if they do not in time.
  func wait(_ what: String, _ isDone: ([ReachabilityPath]) -> Bool) {
    let deadline = DispatchTime.now() + .seconds(15)
    while !isDone(paths) {
      if news.wait(timeout: deadline) == .timedOut {
        Issue.record("\(what) did not happen; delivered so far: \(paths.map(\.description))")
        return
      }
    }
  }

  /// Describes all paths, for a failed comparison.
  private func dumped(_ paths: some Sequence<ReachabilityPath>) -> String {
    paths.map { path in
      var text = ""
      dump(path, to: &text)
      return text
    }
    .joined(separator: "\n")
  }

  /// Makes a change and compares all delivered paths with the expected descriptions; a new query must return the last
  /// one.
  ///
  /// A fence ends the comparison: an address added to one of the listed links, which is delivered after all else.
  func expect(
    _ expected: String..., fence: String = "v0", _ change: () throws -> Void
  ) throws {
    let before = paths.count
    try change()
    wait("the change") { $0.last?.description == expected.last ?? paths[before - 1].description }
    #expect(monitor.path.description == paths.last?.description, "a new query")
    let count = paths.count
    #expect(paths[before...].map(\.description) == expected, "\(dumped(paths[before...]))")
    try lab.host.ip("addr add 10.99.0.1/32 dev \(fence)")
    wait("the fence") { $0.last?.hasFence == true }
    #expect(paths.count == count + 1, "\(dumped(paths[before...]))")
    try lab.host.ip("addr del 10.99.0.1/32 dev \(fence)")
    wait("the end of the fence") { $0.last?.hasFence == false }
  }
}

extension ReachabilityPath {
  fileprivate var hasFence: Bool {
    let addresses = interfaces.flatMap(\.addresses) + unusableInterfaces.flatMap(\.addresses)
    return addresses.contains { $0.address == "10.99.0.1" }
  }
}

extension Lab {
  /// Waits until every link that is up has a link-local address and no address is tentative.
  ///
  /// The kernel assigns them shortly after link up, and a path that contains them would change then.
  func waitForAddresses() throws {
    for _ in 0..<2000 {
      let links = try host.ip("-6 -o addr show scope link")
      let isSettled = try host.ip("-6 -o addr show tentative").isEmpty
      let expected = ["v0", "v1"].filter { name in
        (try? host.sh("cat /proc/sys/net/ipv6/conf/\(name)/disable_ipv6")) == "0\n"
      }
      if isSettled, expected.allSatisfy({ links.contains(" \($0) ") }) { return }
    }
    Issue.record("the links have no link-local addresses")
  }

  /// Adds a second cable to the far host, with `10.2.0.1/24` and `fd00:2::1/64` on the near host.
  func addSecondCable() throws {
    try addCable("v1", far: "p1")
    try host.writeSysctl("net/ipv6/conf/v1/accept_dad", "0")
    try host.ip("addr add 10.2.0.1/24 dev v1")
    try host.ip("addr add fd00:2::1/64 dev v1 nodad")
    try peer.ip("link set p1 up")
    try host.ip("link set v1 up")
    try waitForOperation("v1")
  }
}
#endif
