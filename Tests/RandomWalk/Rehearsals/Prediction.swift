// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import Foundation
import ReachabilityKit
import ReachabilityRehearsal

/// What a rehearsal says about a step, as the library or the command says it.
struct Prediction {
  /// The status of a target, without what a copy cannot have.
  struct Answer: Equatable {
    var state: String
    var reason: String?
    var interface: String?
    var gateway: String?
    var source: String?

    init(_ status: ReachabilityStatus) {
      state = status.state.rawValue
      reason = status.reason?.rawValue
      interface = status.interface?.name
      gateway = status.gateway?.description
      source = status.source?.description
    }

    /// Whether it is another one's equal; the link-local address of a tunnel is a random number in each network.
    func agrees(with other: Answer) -> Bool {
      var other = other
      let isRandom = [source, other.source].allSatisfy { $0?.hasPrefix("fe80:") == true }
      if isRandom, interface?.contains("t7") == true { other.source = source }
      return self == other
    }
  }

  struct Path: Equatable {
    var status: String
    var reason: String?
    var interfaces: [String]

    init(_ path: ReachabilityPath) {
      status = path.status.rawValue
      reason = path.reason?.rawValue
      interfaces = path.interfaces.map(\.interface.name)
    }
  }

  struct Outcome: Equatable {
    var kind: String
    var reason: String?
  }

  /// The targets in their order; `nil` where the rehearsal cannot tell.
  var answers: [Answer?]
  /// Why it cannot tell.
  var doubts: [String]
  var path: Path?
  var outcomes: [ConnectionName: Outcome] = [:]
  var missing: [String]

  init(_ differences: RehearsalDifferences, missing: [NetworkRehearsal.MissingPart]) {
    answers = differences.targets.map { $0.doubt == nil ? Answer($0.after) : nil }
    doubts = differences.targets.compactMap(\.doubt)
    path = differences.pathDoubt == nil ? Path(differences.pathAfter) : nil
    for item in differences.connections {
      let name = ConnectionName(
        source: item.local, sourcePort: item.localPort, destination: item.remote,
        destinationPort: item.remotePort)
      outcomes[name] = Outcome(kind: item.outcome.rawValue, reason: item.reason)
    }
    self.missing = missing.map(\.description)
  }

  /// Reads the object that the command prints.
  init(json: String) throws {
    let object = try JSONDecoder().decode(WrittenRehearsal.self, from: Data(json.utf8))
    answers = object.targets.map { $0.doubt == nil ? Answer($0.after) : nil }
    doubts = object.targets.compactMap(\.doubt)
    path = object.pathDoubt == nil ? Path(object.path.after) : nil
    for item in object.connections {
      guard let source = ReachabilityAddress(item.local[...]),
        let destination = ReachabilityAddress(item.remote[...])
      else { continue }
      let name = ConnectionName(
        source: source, sourcePort: item.localPort, destination: destination,
        destinationPort: item.remotePort)
      outcomes[name] = Outcome(kind: item.outcome, reason: item.reason)
    }
    missing = object.missing
  }
}

/// The ends of a connection.
struct ConnectionName: Hashable, CustomStringConvertible {
  var source: ReachabilityAddress
  var sourcePort: UInt16
  var destination: ReachabilityAddress
  var destinationPort: UInt16

  var description: String { "\(source):\(sourcePort) → \(destination):\(destinationPort)" }
}

// MARK: - The command's object

private struct WrittenRehearsal: Decodable {
  struct Status: Decodable {
    var status: String
    var reason: String?
    var interface: String?
    var gateway: String?
    var source: String?
  }

  struct Target: Decodable {
    var after: Status
    var doubt: String?
  }

  struct Path: Decodable {
    var path: String
    var reason: String?
    var interfaces: [String]
  }

  struct Paths: Decodable {
    var after: Path
  }

  struct Connection: Decodable {
    var local: String
    var localPort: UInt16
    var remote: String
    var remotePort: UInt16
    var outcome: String
    var reason: String?
  }

  var targets: [Target]
  var path: Paths
  var pathDoubt: String?
  var connections: [Connection]
  var missing: [String]
}

extension Prediction.Answer {
  fileprivate init(_ written: WrittenRehearsal.Status) {
    state = written.status
    (reason, interface) = (written.reason, written.interface)
    (gateway, source) = (written.gateway, written.source)
  }
}

extension Prediction.Path {
  fileprivate init(_ written: WrittenRehearsal.Path) {
    (status, reason, interfaces) = (written.path, written.reason, written.interfaces)
  }
}
