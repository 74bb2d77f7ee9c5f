// SPDX-License-Identifier: Apache-2.0
// The functions of share/include/reachability.h, which documents them, in its order.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CLibrary
import CReachability
import CommandLineSupport
import ReachabilityKit

@c @implementation public func reachability_last_error() -> reachability_error { CallerState.current.code }

@c @implementation public func reachability_last_error_text() -> UnsafePointer<CChar>? {
  unsafe UnsafePointer(CallerState.current.text)
}

@c @implementation public func reachability_version() -> UnsafePointer<CChar>? {
  unsafe HandleTable.current.constant(packageVersion)
}

@c @implementation public func reachability_free(_ text: UnsafeMutablePointer<CChar>?) { unsafe free(text) }

@c @implementation public func reachability_monitor_shared() -> Handle? { unsafe HandleTable.current.shared }

@c @implementation public func reachability_monitor_create(_ namespace: UnsafePointer<CChar>?) -> Handle? {
  unsafe result {
    if unsafe namespace == nil { return unsafe HandleTable.current.add(try ReachabilityMonitor()) }
    let text = try unsafe string(namespace, "network_namespace")
    guard let namespace = ReachabilityNamespace(text: text) else {
      throw Failure.invalid("'\(text)' is no network namespace; use \(ReachabilityNamespace.acceptedTexts)")
    }
    return unsafe HandleTable.current.add(try ReachabilityMonitor(in: namespace))
  }
}

@c @implementation public func reachability_monitor_destroy(_ monitor: Handle?) -> reachability_error {
  code { let _: ReachabilityMonitor = try unsafe HandleTable.current.object(of: monitor, removing: true) }
}

@c @implementation public func reachability_target_create(
  _ text: UnsafePointer<CChar>?, _ constraints: UnsafePointer<reachability_constraints>?
) -> Handle? {
  unsafe result {
    var target = try unsafe ReachabilityTarget(string(text, "text"))
    var known = unsafe reachability_constraints()
    if unsafe constraints != nil { try unsafe CallerStruct(constraints, "constraints").read(into: &known) }
    if let text = try unsafe known.interface.map({ try unsafe string($0, "interface") }) {
      guard let interface = ReachabilityTarget.Interface(text) else {
        throw Failure.invalid("'\(text)' is neither the name nor the index of an interface")
      }
      if let zone = target.interface, zone != interface {
        throw Failure.invalid("the interface '\(text)' contradicts the zone '\(zone)'")
      }
      target.interface = interface
    }
    if let text = try unsafe known.source.map({ try unsafe string($0, "source") }) {
      target.source = ReachabilityAddress(text)
      if target.source == nil {
        throw Failure.invalid("'\(text)' is no address; 'source' takes one such as 10.1.0.1 or fd00::1")
      }
    }
    target.mark = unsafe known.mark == 0 ? nil : known.mark
    return unsafe HandleTable.current.add(target)
  }
}

@c @implementation public func reachability_target_destroy(_ target: Handle?) -> reachability_error {
  code { let _: ReachabilityTarget = try unsafe HandleTable.current.object(of: target, removing: true) }
}

@c @implementation public func reachability_current_status(
  _ monitor: Handle?, _ target: Handle?, _ status: UnsafeMutablePointer<reachability_status>?
) -> reachability_error {
  code {
    let (monitor, target) = try unsafe HandleTable.current.objects(of: monitor, target)
    try unsafe CallerStruct(status, "status").store(reachability_status(monitor.currentStatus(of: target)))
  }
}

/// Waits for a status, or returns `nil` after a time limit in milliseconds.
private func wait(
  for target: ReachabilityTarget, by monitor: ReachabilityMonitor, _ timeout: Int64,
  until isAwaited: @escaping @Sendable (ReachabilityStatus) -> Bool
) throws(Failure) -> ReachabilityStatus? {
  let awaited = AwaitedStatus(of: target, in: monitor, where: isAwaited)
  if awaited.value == nil, CallerState.current.isInCallback {
    throw Failure(
      code: REACHABILITY_ERROR_WOULD_DEADLOCK, text: "a callback must not wait for its own thread")
  }
  return awaited.wait(upTo: timeout < 0 ? nil : .milliseconds(timeout))
}

@c @implementation public func reachability_wait_until_known(
  _ monitor: Handle?, _ target: Handle?, _ timeout: Int64,
  _ status: UnsafeMutablePointer<reachability_status>?
) -> reachability_error {
  code {
    let (monitor, target) = try unsafe HandleTable.current.objects(of: monitor, target)
    let status = try unsafe CallerStruct(status, "status")
    let found = try wait(for: target, by: monitor, timeout) { $0.reason != .resolving }
    unsafe status.store(reachability_status(found ?? monitor.currentStatus(of: target)))
    guard found == nil else { return }
    throw Failure(code: REACHABILITY_ERROR_TIMED_OUT, text: "\(target) was not known within \(timeout) ms")
  }
}

@c @implementation public func reachability_wait_until_reachable(
  _ monitor: Handle?, _ target: Handle?, _ timeout: Int64,
  _ status: UnsafeMutablePointer<reachability_status>?
) -> reachability_error {
  code {
    let (monitor, target) = try unsafe HandleTable.current.objects(of: monitor, target)
    let status = try unsafe status.map { try unsafe CallerStruct($0, "status") }
    let found = try wait(for: target, by: monitor, timeout) { $0.isReachable || !monitor.mayRecover($0) }
    let last = found ?? monitor.currentStatus(of: target)
    unsafe status?.store(reachability_status(last))
    if last.isReachable { return }
    let code = found == nil ? REACHABILITY_ERROR_TIMED_OUT : REACHABILITY_ERROR_INVALID_TARGET
    let text = found == nil ? "was not reachable within \(timeout) ms" : "cannot become reachable"
    throw Failure(code: code, text: "\(target) \(text)" + (last.reason.map { ": \($0)" } ?? ""))
  }
}

@c @implementation public func reachability_explain(
  _ monitor: Handle?, _ target: Handle?, _ format: reachability_format
) -> UnsafeMutablePointer<CChar>? {
  unsafe result {
    let (monitor, target) = try unsafe HandleTable.current.objects(of: monitor, target)
    let explanation = monitor.currentExplanation(of: target)
    if format == REACHABILITY_TEXT { return unsafe strdup(text(explanation)) }
    if format == REACHABILITY_JSON { return unsafe strdup(json(explanation)) }
    throw Failure.invalid("\(format.rawValue) is no format; use REACHABILITY_TEXT or REACHABILITY_JSON")
  }
}

private func text(_ explanation: ReachabilityExplanation) -> String {
  var lines = ["\(explanation.target): \(explanation.summary)"]
  for step in explanation.steps {
    let family = step.family.map { "\($0) " } ?? ""
    lines.append("\(step.verdict.rawValue): \(family)\(step.kind.words): \(step.fact)")
    if let problem = step.problem { lines.append("  problem: \(problem)") }
    if let advice = step.advice { lines.append("  advice: \(advice)") }
  }
  return lines.map { $0.escapedForTerminal + "\n" }.joined()
}

private func json(_ value: some Encodable) -> String {
  var object = JSONObject()
  object.add(value.encode)
  return object.text
}

@c @implementation public func reachability_current_path(
  _ monitor: Handle?, _ path: UnsafeMutablePointer<reachability_path>?
) -> reachability_error {
  code {
    let monitor: ReachabilityMonitor = try unsafe HandleTable.current.object(of: monitor)
    try unsafe CallerStruct(path, "path").store(reachability_path(monitor.path))
  }
}

@c @implementation public func reachability_path_json(_ monitor: Handle?) -> UnsafeMutablePointer<CChar>? {
  unsafe result {
    let monitor: ReachabilityMonitor = try unsafe HandleTable.current.object(of: monitor)
    return unsafe strdup(json(monitor.path))
  }
}

@c @implementation public func reachability_current_evidence(
  _ monitor: Handle?, _ target: Handle?, _ evidence: UnsafeMutablePointer<reachability_evidence>?
) -> reachability_error {
  code {
    let (monitor, target) = try unsafe HandleTable.current.objects(of: monitor, target)
    try unsafe CallerStruct(evidence, "evidence").store(reachability_evidence(monitor.evidence(for: target)))
  }
}

/// Observes a target; a change that must last for more than a day would hide a mistake of units.
private func observe(
  _ target: Handle?, by monitor: Handle?, settling: Int64,
  handler: @escaping @Sendable (ReachabilityEvent) -> Void
) throws -> ReachabilityObservation {
  let (monitor, target) = try unsafe HandleTable.current.objects(of: monitor, target)
  guard (0...86_400_000).contains(settling) else {
    throw Failure.invalid("'settling' is \(settling); it takes 0 to 86400000 ms")
  }
  return monitor.observe(target, settling: .milliseconds(settling), on: .monitorThread, handler: handler)
}

@c @implementation public func reachability_observe(
  _ monitor: Handle?, _ target: Handle?, _ settling: Int64, _ callback: reachability_status_callback?,
  _ context: UnsafeMutableRawPointer?, _ release: reachability_release?
) -> Handle? {
  let context = unsafe Context(context, release)
  return unsafe result {
    let callback = try unsafe required(callback, "callback")
    let token = try unsafe observe(target, by: monitor, settling: settling) { event in
      let previous = unsafe event.previous.map { unsafe [reachability_status($0)] }
      unsafe context.call { unsafe callback([reachability_status(event.status)], previous, $0) }
    }
    return unsafe Observation().begin(token)
  }
}

@c @implementation public func reachability_observe_path(
  _ monitor: Handle?, _ callback: reachability_path_callback?, _ context: UnsafeMutableRawPointer?,
  _ release: reachability_release?
) -> Handle? {
  let context = unsafe Context(context, release)
  return unsafe result {
    let callback = try unsafe required(callback, "callback")
    let monitor: ReachabilityMonitor = try unsafe HandleTable.current.object(of: monitor)
    let token = monitor.observePath(on: .monitorThread) { path in
      unsafe context.call { unsafe callback([reachability_path(path)], $0) }
    }
    return unsafe Observation().begin(token)
  }
}

@c @implementation public func reachability_observation_end(_ observation: Handle?) -> reachability_error {
  code { try unsafe Observation.end(observation) }
}

@c @implementation public func reachability_queue_create() -> Handle? {
  unsafe result {
    do { return unsafe HandleTable.current.add(try EventQueue()) } catch {
      throw Failure(code: REACHABILITY_ERROR_SYSTEM, text: "could not create a descriptor: \(error)")
    }
  }
}

@c @implementation public func reachability_queue_destroy(_ queue: Handle?) -> reachability_error {
  code {
    let queue: EventQueue = try unsafe HandleTable.current.object(of: queue, removing: true)
    queue.isDestroyed.store(true, ordering: .sequentiallyConsistent)
    for number in HandleTable.current.observations(of: queue) {
      // One that another thread ends meanwhile is gone.
      try? unsafe Observation.end(Handle(bitPattern: number))
    }
  }
}

@c @implementation public func reachability_queue_descriptor(_ queue: Handle?) -> CInt {
  result { try unsafe HandleTable.current.object(of: queue, as: EventQueue.self).alarm.descriptor } ?? -1
}

@c @implementation public func reachability_queue_observe(
  _ queue: Handle?, _ monitor: Handle?, _ target: Handle?, _ settling: Int64,
  _ context: UnsafeMutableRawPointer?
) -> Handle? {
  unsafe result {
    let new = try unsafe Observation(in: HandleTable.current.object(of: queue, as: EventQueue.self), context)
    return try unsafe new.begin(observe(target, by: monitor, settling: settling) { new.receive($0.status) })
  }
}

@c @implementation public func reachability_queue_observe_path(
  _ queue: Handle?, _ monitor: Handle?, _ context: UnsafeMutableRawPointer?
) -> Handle? {
  unsafe result {
    let monitor: ReachabilityMonitor = try unsafe HandleTable.current.object(of: monitor)
    let new = try unsafe Observation(in: HandleTable.current.object(of: queue, as: EventQueue.self), context)
    return unsafe new.begin(monitor.observePath(on: .monitorThread) { new.receive($0) })
  }
}

@c @implementation public func reachability_queue_next(
  _ queue: Handle?, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Handle? {
  unsafe result {
    let queue: EventQueue = try unsafe HandleTable.current.object(of: queue)
    while let number = queue.popFirst() {
      let handle = unsafe Handle(bitPattern: number)
      let found = try? unsafe HandleTable.current.object(of: handle, as: Observation.self)
      guard let found, found.hasValue else { continue }
      unsafe context?.pointee = UnsafeMutableRawPointer(bitPattern: found.context)
      return unsafe handle
    }
    throw Failure(code: REACHABILITY_ERROR_EMPTY, text: "no observation waits")
  }
}

@c @implementation public func reachability_take_status(
  _ observation: Handle?, _ status: UnsafeMutablePointer<reachability_status>?,
  _ previous: UnsafeMutablePointer<reachability_status>?
) -> reachability_error {
  code {
    let status = try unsafe CallerStruct(status, "status")
    let previous = try unsafe previous.map { try unsafe CallerStruct($0, "previous") }
    let (taken, before): (ReachabilityStatus, _) = try unsafe Observation.take(from: observation)
    unsafe status.store(reachability_status(taken))
    unsafe previous?.store(before.map(reachability_status.init) ?? reachability_status())
  }
}

@c @implementation public func reachability_take_path(
  _ observation: Handle?, _ path: UnsafeMutablePointer<reachability_path>?
) -> reachability_error {
  code {
    let path = try unsafe CallerStruct(path, "path")
    let (taken, _): (ReachabilityPath, _) = try unsafe Observation.take(from: observation)
    unsafe path.store(reachability_path(taken))
  }
}
