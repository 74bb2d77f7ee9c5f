// SPDX-License-Identifier: Apache-2.0
import CReachability
import ClassicSupport
import DeadlineSupport
import Foundation
import LiveSupport
import ReachabilityKit
import RequirementSupport
import Testing

@testable import ReachabilityC

/// What calls return in a real network.
@Suite(.needsNamespaces, .deadline) struct CallTests {
  private let monitor: CalledMonitor

  init() throws { monitor = try CalledMonitor() }

  @Test func `a status has state, interface, gateway and source, or the reason`() throws {
    let target = monitor.target("10.9.0.1")
    let reachable = unsafe try monitor.status(of: target)
    #expect(unsafe reachable.state == REACHABILITY_REACHABLE && reachable.reason == nil)
    #expect(
      unsafe text(reachable.interface.name) == "v0" && reachable.interface.kind == REACHABILITY_KIND_WIRED)
    #expect(unsafe text(reachable.gateway) == "10.1.0.254" && text(reachable.source) == "10.1.0.1")
    #expect(unsafe reachable.flags == ReachabilityStatus.Flags.reachable.rawValue)
    try monitor.cable.setDefaultRoute(false)
    let lost = unsafe try monitor.status(of: target)
    #expect(unsafe lost.state == REACHABILITY_NOT_REACHABLE && lost.interface.index == 0)
    #expect(unsafe string(lost.reason) == "noRoute" && string(lost.reason_text) == "no route")
    #expect(unsafe text(lost.gateway) == "")
  }

  @Test func `constraints count`() throws {
    var constraints = unsafe reachability_constraints()
    unsafe constraints.size = MemoryLayout<reachability_constraints>.size
    let name = unsafe strdup("lo")
    defer { unsafe free(name) }
    unsafe constraints.interface = unsafe UnsafePointer(name)
    unsafe constraints.mark = 7
    let target = unsafe Handle(reachability_target_create("10.9.0.1", &constraints))
    unsafe #expect(
      try HandleTable.current.object(of: unsafe target.pointer, as: ReachabilityTarget.self).mark == 7)
    #expect(unsafe try monitor.status(of: target).state == REACHABILITY_NOT_REACHABLE)
  }

  @Test func `a monitor of a named process sees its network`() throws {
    let created = unsafe Handle(reachability_monitor_create(monitor.cable.host.path))
    try #require(!created.isNull, "\(lastError())")
    var path = unsafe reachability_path.sized
    #expect(unsafe reachability_current_path(created.pointer, &path) == REACHABILITY_OK)
    #expect(unsafe text(path.interface.name) == "v0" && text(path.gateway) == "10.1.0.254")
    #expect(unsafe path.state == REACHABILITY_PATH_SATISFIED && path.interface_count == 1)
    #expect(unsafe [path.supports_ipv4, path.supports_ipv6] == [1, 0])
    #expect(unsafe reachability_monitor_destroy(created.pointer) == REACHABILITY_OK)
    #expect(unsafe reachability_current_path(created.pointer, &path) == REACHABILITY_ERROR_INVALID_HANDLE)
  }

  @Test func `an explanation is text, or the object of the command`() throws {
    try monitor.cable.setDefaultRoute(false)
    let target = monitor.target("10.9.0.1")
    let lines = unsafe reachability_explain(monitor.handle.pointer, target.pointer, REACHABILITY_TEXT)
    defer { unsafe reachability_free(lines) }
    let explanation = unsafe String(cString: try #require(lines))
    #expect(
      explanation.hasPrefix("10.9.0.1: ") && explanation.hasSuffix("without a route\n"), "\(explanation)")
    #expect(
      explanation.contains("\nfailed: IPv4 route: ") && explanation.contains("IPv4 next hop: ")
        && explanation.contains("\n  advice: "))
    let object = unsafe reachability_explain(monitor.handle.pointer, target.pointer, REACHABILITY_JSON)
    defer { unsafe reachability_free(object) }
    let decoded = try JSONDecoder().decode(
      ReachabilityExplanation.self, from: Data(unsafe String(cString: try #require(object)).utf8))
    #expect(decoded.status == .notReachable(.noRoute) && decoded.steps.count > 1)
    let path = unsafe reachability_path_json(monitor.handle.pointer)
    defer { unsafe reachability_free(path) }
    let decodedPath = try JSONDecoder().decode(
      ReachabilityPath.self, from: Data(unsafe String(cString: try #require(path)).utf8))
    #expect(decodedPath.status == .unsatisfied)
  }

  @Test func `evidence is read, and there is none without connections`() throws {
    var evidence = unsafe reachability_evidence.sized
    let target = monitor.target("10.9.0.1")
    #expect(
      unsafe reachability_current_evidence(monitor.handle.pointer, target.pointer, &evidence)
        == REACHABILITY_OK)
    #expect(unsafe evidence.verdict == REACHABILITY_NO_EVIDENCE && evidence.connections == 0)
    #expect(unsafe evidence.received == -1 && evidence.stalled == -1)
    #expect(unsafe evidence.fault == nil && evidence.obstacle == nil)
  }

  @Test func `a wait ends with the change, with the time, or where waiting cannot help`() throws {
    try monitor.cable.setDefaultRoute(false)
    let target = monitor.target("10.9.0.1")
    var status = unsafe reachability_status.sized
    #expect(
      unsafe reachability_wait_until_reachable(monitor.handle.pointer, target.pointer, 20, &status)
        == REACHABILITY_ERROR_TIMED_OUT)
    #expect(lastError() == "10.9.0.1 was not reachable within 20 ms: no route")
    #expect(unsafe string(status.reason) == "noRoute")
    let cable = monitor.cable
    for noLimit in [-1, Int64.max] {
      // There is none the first time.
      try? cable.setDefaultRoute(false)
      Thread.detachNewThread { try? cable.setDefaultRoute(true) }
      #expect(
        unsafe reachability_wait_until_reachable(monitor.handle.pointer, target.pointer, noLimit, &status)
          == REACHABILITY_OK)
      #expect(unsafe text(status.interface.name) == "v0")
    }
    let group = monitor.target("tcp://224.0.0.1:80")
    #expect(
      unsafe reachability_wait_until_reachable(monitor.handle.pointer, group.pointer, -1, nil)
        == REACHABILITY_ERROR_INVALID_TARGET)
    #expect(lastError().contains("cannot become reachable"))
    #expect(
      unsafe reachability_wait_until_known(monitor.handle.pointer, group.pointer, .max, &status)
        == REACHABILITY_OK)
  }

  @Test(.onOwnThreads) func `a forked child has no handle of its parent, and can create its own`() async {
    await #expect(processExitsWith: .success) { try CallTests.fork() }
  }

  private static func fork() throws {
    let monitor = try CalledMonitor()
    let target = monitor.target("10.9.0.1")
    let child = try monitor.cable.host.run {
      try Faults.fork(within: 20) {
        var status = unsafe reachability_status.sized
        let inherited = unsafe reachability_current_status(monitor.handle.pointer, target.pointer, &status)
        guard inherited == REACHABILITY_ERROR_INVALID_HANDLE else { return 1 }
        let own = unsafe reachability_monitor_create(nil)
        let address = unsafe reachability_target_create("10.9.0.1", nil)
        guard unsafe reachability_current_status(own, address, &status) == REACHABILITY_OK else { return 2 }
        guard unsafe status.state == REACHABILITY_REACHABLE else { return 3 }
        return unsafe reachability_current_status(reachability_monitor_shared(), address, &status)
          == REACHABILITY_OK ? 0 : 4
      }
    }
    #expect(try child.wait() == 0)
    let after = unsafe try monitor.status(of: target)
    #expect(unsafe after.state == REACHABILITY_REACHABLE)
  }
}
