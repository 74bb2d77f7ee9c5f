// SPDX-License-Identifier: Apache-2.0
import POSIX

@testable import ReachabilityKit

/// An observer; only its identity matters.
final class Watcher: Sendable {
  let name: String

  init(_ name: String) { self.name = name }
}

/// A state machine, the network that it queries, and a record of the deliveries to each observer.
struct Bench {
  typealias Key = MonitorStateMachine<Watcher>.Key

  /// An event as its observer received it.
  struct Told: Equatable, CustomStringConvertible {
    var name: String
    var target: ReachabilityTarget
    var status: ReachabilityStatus
    var previous: ReachabilityStatus?

    var description: String { "\(name): \(target) \(previous.map { "\($0) -> " } ?? "")\(status)" }
  }

  var machine = MonitorStateMachine<Watcher>()
  /// The answers of the network; every other target has no route.
  var world: [ReachabilityTarget: Evaluation] = [:]
  private var told: [Told] = []
  private var watchers: [String: (Watcher, MonitorStateMachine<Watcher>.EntryID)] = [:]
  private let start = Moment.now

  /// A number of seconds as an instant.
  func at(_ seconds: Double) -> Moment { start.advanced(by: .seconds(seconds)) }

  /// The machine's next deadline, in seconds.
  var nextDeadline: Double? {
    machine.nextDeadline.map { start.duration(to: $0) / .seconds(1) }
  }

  mutating func watch(_ name: String, _ target: ReachabilityTarget, settling: Duration = .zero) {
    let watcher = Watcher(name)
    watchers[name] = (watcher, machine.add(watcher, for: Key(target: target, settling: settling)))
  }

  mutating func leave(_ name: String) {
    guard let (watcher, id) = watchers.removeValue(forKey: name) else { return }
    machine.remove(watcher, from: id)
  }

  /// Runs the machine at an instant and answers its queries.
  ///
  /// - Returns: The queried targets, in the order of the queries.
  @discardableResult
  mutating func run(_ change: NetworkChange = NetworkChange(), at seconds: Double = 0) -> [ReachabilityTarget]
  {
    let now = at(seconds)
    var deliveries: [MonitorStateMachine<Watcher>.Delivered] = []
    var pendingWork = machine.take(change, now: now) { deliveries.append(.init($0, $1)) }
    let questions = machine.questions(of: &pendingWork, limit: .max)
    deliveries.forEach { note($0) }
    for (place, target) in questions.targets.enumerated() {
      // As in the engine: a host is evaluated by its addresses as soon as these are known.
      let host = questions.hosts.first { $0.place == place }
      let evaluation = host.map { $0.answer.evaluation(of: $0.parts.map(answer)) } ?? answer(about: target)
      machine.accept(evaluation, for: questions.ids[place], now: at(seconds)).forEach { note($0) }
    }
    return questions.targets
  }

  private func answer(about target: ReachabilityTarget) -> Evaluation {
    if let evaluation = world[target] { return evaluation }
    if case .host = target.destination { return Evaluation(.unknown(.resolving)) }
    return Evaluation(.notReachable(.noRoute))
  }

  /// Sets a target's status and runs the machine with that change.
  @discardableResult
  mutating func set(_ target: ReachabilityTarget, _ status: ReachabilityStatus, at seconds: Double = 0)
    -> [Told]
  {
    world[target] = Evaluation(status)
    run(.all, at: seconds)
    return takeTold()
  }

  /// Returns the deliveries since the last call.
  mutating func takeTold() -> [Told] {
    defer { told = [] }
    return told
  }

  private mutating func note(_ delivery: MonitorStateMachine<Watcher>.Delivered) {
    let event = delivery.event
    told.append(
      Told(
        name: delivery.observer.name, target: event.target, status: event.status, previous: event.previous))
  }
}

extension MonitorStateMachine {
  /// An event that an observer received.
  struct Delivered {
    let event: ReachabilityEvent
    let observer: Observer

    init(_ event: MonitorEvent, _ observer: Observer) {
      guard case .status(let event) = event.content else {
        preconditionFailure("the machine delivers statuses only")
      }
      (self.event, self.observer) = (event, observer)
    }
  }

  /// Passes an answer to the machine and returns the deliveries that follow.
  mutating func accept(_ evaluation: Evaluation, for id: EntryID, now: Moment) -> [Delivered] {
    var deliveries: [Delivered] = []
    accept(evaluation, for: id, now: now) { deliveries.append(Delivered($0, $1)) }
    return deliveries
  }
}

extension EventSink {
  /// Delivers an event, as the engine does.
  func receive(_ event: ReachabilityEvent) { receive(MonitorEvent(.status(event))) }

  func receive(_ event: MonitorEvent) {
    if deliver(event) { wakeUp() }
  }
}

extension ReachabilityStatus {
  /// Statuses that differ in their gateways.
  static func via(_ gateway: ReachabilityAddress) -> ReachabilityStatus {
    ReachabilityStatus(.reachable, flags: .reachable, gateway: gateway)
  }

  /// A distinct status for each number.
  static func number(_ number: Int) -> ReachabilityStatus {
    via(.v4(.init(rawValue: UInt32(truncatingIfNeeded: number))))
  }
}

extension IPPrefix {
  /// Parses `10.1.0.0/16`; a malformed literal is a programmer's mistake and traps.
  init(literal text: String) {
    let parts = text.split(separator: "/")
    guard parts.count == 2, let address = ReachabilityAddress(parts[0]), let length = Int(parts[1]),
      let prefix = IPPrefix(address, length: length)
    else { preconditionFailure("\(text) is not a prefix") }
    self = prefix
  }
}

extension MonitorStateMachine {
  /// Passes a change to the machine and returns all queries in one batch.
  mutating func questions(after change: NetworkChange, now: Moment) -> Questions {
    var pendingWork = take(change, now: now) { _, _ in }
    return questions(of: &pendingWork, limit: .max)
  }
}
