// SPDX-License-Identifier: Apache-2.0
// share/include/reachability.h documents the functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CLibrary
import CReachability
import CommandLineSupport
import Dispatch
import ReachabilityKit
import Synchronization

/// Reads a text argument.
func text(_ argument: UnsafePointer<CChar>?, _ name: String) throws(Failure) -> String {
  guard let argument = unsafe argument else { throw .invalidArgument("'\(name)' is null") }
  guard let text = unsafe String(validatingCString: argument) else {
    throw .invalidArgument("'\(name)' is no UTF-8")
  }
  return text
}

/// Gives a string to the caller.
private func allocated(_ text: String) throws(Failure) -> UnsafeMutablePointer<CChar> {
  guard let copy = unsafe strdup(text) else { throw Failure(REACHABILITY_ERROR_SYSTEM, "no memory is left") }
  return unsafe copy
}

/// Returns the object that a value encodes.
private func json(_ encode: (any Encoder) throws -> Void) -> String {
  var object = JSONObject()
  object.add(encode)
  return object.text
}

// MARK: - Monitors

@c @implementation
public func reachability_monitor_shared() -> OpaquePointer? { unsafe HandleTable.current.sharedMonitor }

@c @implementation
public func reachability_monitor_create(_ network_namespace: UnsafePointer<CChar>?) -> OpaquePointer? {
  unsafe result { () throws(Failure) in
    let namespace = unsafe network_namespace == nil ? nil : try unsafe namespace(network_namespace)
    let monitor: ReachabilityMonitor
    do throws(ReachabilityMonitorError) {
      monitor = if let namespace { try ReachabilityMonitor(in: namespace) } else { try ReachabilityMonitor() }
    } catch {
      throw Failure(error)
    }
    return unsafe HandleTable.current.add(monitor)
  } ?? nil
}

private func namespace(_ argument: UnsafePointer<CChar>?) throws(Failure) -> ReachabilityNamespace {
  let text = try unsafe text(argument, "network_namespace")
  guard let namespace = ReachabilityNamespace(text: text) else {
    throw .invalidArgument("'\(text)' is no network namespace; use \(ReachabilityNamespace.acceptedTexts)")
  }
  return namespace
}

@c @implementation
public func reachability_monitor_destroy(_ monitor: OpaquePointer?) -> reachability_error {
  code { () throws(Failure) in
    let table = HandleTable.current
    if unsafe monitor != nil, unsafe monitor == table.knownSharedMonitor {
      throw .invalidArgument("the shared monitor is never destroyed")
    }
    _ = try unsafe table.remove(monitor, as: ReachabilityMonitor.self)
  }
}

// MARK: - Targets

@c @implementation
public func reachability_target_create(
  _ text: UnsafePointer<CChar>?, _ constraints: UnsafePointer<reachability_constraints>?
) -> OpaquePointer? {
  unsafe result { () throws(Failure) in
    let text = try unsafe ReachabilityC.text(text, "text")
    var target: ReachabilityTarget
    do throws(ReachabilityTargetError) { target = try ReachabilityTarget(text) } catch {
      throw Failure(REACHABILITY_ERROR_INVALID_TARGET, error.description)
    }
    if let constraints = unsafe constraints {
      try unsafe target.add(reachability_constraints(reading: constraints, zero: .init(), "constraints"))
    }
    return unsafe HandleTable.current.add(Target(target))
  } ?? nil
}

extension ReachabilityTarget {
  fileprivate mutating func add(_ constraints: reachability_constraints) throws(Failure) {
    if unsafe constraints.interface != nil {
      let text = try unsafe ReachabilityC.text(constraints.interface, "interface")
      guard let interface = Interface(text) else {
        throw .invalidArgument("'\(text)' is neither the name nor the index of an interface")
      }
      if let zone = self.interface, zone != interface {
        throw .invalidArgument("the interface '\(text)' contradicts the zone '\(zone)'")
      }
      self.interface = interface
    }
    if unsafe constraints.source != nil {
      let text = try unsafe ReachabilityC.text(constraints.source, "source")
      guard let source = ReachabilityAddress(text) else {
        throw .invalidArgument("'\(text)' is no address; 'source' takes one such as 10.1.0.1 or fd00::1")
      }
      self.source = source
    }
    let mark = unsafe constraints.mark
    if mark != 0 { self.mark = mark }
  }
}

@c @implementation
public func reachability_target_destroy(_ target: OpaquePointer?) -> reachability_error {
  code { () throws(Failure) in
    _ = try unsafe HandleTable.current.remove(target, as: Target.self)
  }
}

// MARK: - Statuses

@c @implementation
public func reachability_current_status(
  _ monitor: OpaquePointer?, _ target: OpaquePointer?, _ status: UnsafeMutablePointer<reachability_status>?
) -> reachability_error {
  code { () throws(Failure) in
    let (monitor, target) = try unsafe operands(monitor, target)
    try unsafe reachability_status(monitor.currentStatus(of: target)).store(in: status, "status")
  }
}

@c @implementation
public func reachability_wait_until_known(
  _ monitor: OpaquePointer?, _ target: OpaquePointer?, _ timeout: Int64,
  _ status: UnsafeMutablePointer<reachability_status>?
) -> reachability_error {
  code { () throws(Failure) in
    let (monitor, target) = try unsafe operands(monitor, target)
    try unsafe reachability_status.check(status, "status")
    let found = try monitor.wait(for: target, timeout) { $0.reason != .resolving }
    try unsafe reachability_status(found ?? monitor.currentStatus(of: target)).store(in: status, "status")
    if found == nil {
      throw Failure(REACHABILITY_ERROR_TIMED_OUT, "\(target) was not known within \(timeout) ms")
    }
  }
}

@c @implementation
public func reachability_wait_until_reachable(
  _ monitor: OpaquePointer?, _ target: OpaquePointer?, _ timeout: Int64,
  _ status: UnsafeMutablePointer<reachability_status>?
) -> reachability_error {
  code { () throws(Failure) in
    let (monitor, target) = try unsafe operands(monitor, target)
    if unsafe status != nil { try unsafe reachability_status.check(status, "status") }
    let found = try monitor.wait(for: target, timeout) { $0.isReachable || !monitor.mayRecover($0) }
    let last = found ?? monitor.currentStatus(of: target)
    if unsafe status != nil { try unsafe reachability_status(last).store(in: status, "status") }
    if last.isReachable { return }
    let reason = last.reason.map { ": \($0)" } ?? ""
    throw found == nil
      ? Failure(REACHABILITY_ERROR_TIMED_OUT, "\(target) was not reachable within \(timeout) ms\(reason)")
      : Failure(REACHABILITY_ERROR_INVALID_TARGET, "\(target) cannot become reachable\(reason)")
  }
}

extension ReachabilityMonitor {
  /// Blocks until a status satisfies a condition, or returns `nil` after a time limit.
  fileprivate func wait(
    for target: ReachabilityTarget, _ timeout: Int64,
    until isAwaited: @escaping @Sendable (ReachabilityStatus) -> Bool
  ) throws(Failure) -> ReachabilityStatus? {
    let current = currentStatus(of: target)
    if isAwaited(current) { return current }
    if CallerState.current.callbackDepth > 0 {
      throw Failure(
        REACHABILITY_ERROR_WOULD_DEADLOCK, "a callback must not wait for the thread that calls it")
    }
    let found = Mutex<ReachabilityStatus?>(nil)
    let isFound = DispatchSemaphore(value: 0)
    let observation = observe(target, on: .monitorThread) { event in
      guard isAwaited(event.status) else { return }
      let isFirst = found.withLock { found in
        defer { if found == nil { found = event.status } }
        return found == nil
      }
      if isFirst { isFound.signal() }
    }
    defer { observation.cancel() }
    if timeout < 0 {
      isFound.wait()
    } else {
      _ = isFound.wait(timeout: .now() + .milliseconds(Int(clamping: min(timeout, 1 << 40))))
    }
    return found.withLock(\.self)
  }
}

// MARK: - Explanations, the path and evidence

@c @implementation
public func reachability_explain(
  _ monitor: OpaquePointer?, _ target: OpaquePointer?, _ format: reachability_format
) -> UnsafeMutablePointer<CChar>? {
  unsafe about(monitor, target) { monitor, target throws(Failure) in
    guard [REACHABILITY_TEXT, REACHABILITY_JSON].contains(format) else {
      throw .invalidArgument("\(format.rawValue) is no format; use REACHABILITY_TEXT or REACHABILITY_JSON")
    }
    let explanation = monitor.currentExplanation(of: target)
    if format == REACHABILITY_TEXT { return try unsafe allocated(explanation.lines) }
    return try unsafe allocated(json(explanation.encode))
  }
}

extension ReachabilityExplanation {
  fileprivate var lines: String {
    var lines = ["\(target): \(summary)"]
    for step in steps {
      let family = step.family.map { "\($0) " } ?? ""
      lines.append("\(step.verdict.rawValue): \(family)\(step.kind.words): \(step.fact)")
      if let problem = step.problem { lines.append("  problem: \(problem)") }
      if let advice = step.advice { lines.append("  advice: \(advice)") }
    }
    return lines.map { $0.escapedForTerminal + "\n" }.joined()
  }
}

@c @implementation
public func reachability_current_path(
  _ monitor: OpaquePointer?, _ path: UnsafeMutablePointer<reachability_path>?
) -> reachability_error {
  code { () throws(Failure) in
    let monitor = try unsafe HandleTable.current.object(of: monitor, as: ReachabilityMonitor.self)
    try unsafe reachability_path(monitor.path).store(in: path, "path")
  }
}

@c @implementation
public func reachability_path_json(_ monitor: OpaquePointer?) -> UnsafeMutablePointer<CChar>? {
  unsafe about(monitor) { monitor throws(Failure) in try unsafe allocated(json(monitor.path.encode)) }
}

@c @implementation
public func reachability_current_evidence(
  _ monitor: OpaquePointer?, _ target: OpaquePointer?,
  _ evidence: UnsafeMutablePointer<reachability_evidence>?
) -> reachability_error {
  code { () throws(Failure) in
    let (monitor, target) = try unsafe operands(monitor, target)
    try unsafe reachability_evidence(monitor.evidence(for: target)).store(in: evidence, "evidence")
  }
}
