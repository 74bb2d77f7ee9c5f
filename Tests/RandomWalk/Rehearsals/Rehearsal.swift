// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import Foundation
import LiveSupport
import ReachabilityKit
import ReachabilityRehearsal

/// A rehearsed script: by the library as root, or by the command as an ordinary user.
struct Rehearsal {
  /// The targets that are compared: the command knows those without a source, an interface or a mark.
  let targets: [ReachabilityTarget]
  /// What the script printed.
  let output: String
  /// The copy, where it is this program's.
  let copy: NetworkRehearsal?
  private let written: Prediction?
  private let user: UInt32

  init(of targets: [ReachabilityTarget], _ script: String, as user: UInt32, in lab: Lab) throws {
    self.user = user
    guard user == 0 else {
      self.targets = targets.filter { $0 == ReachabilityTarget($0.destination) }
      let result = try lab.shell(
        "exec setpriv --reuid \(user) --regid \(user) --clear-groups \"$@\"",
        [try Executable("reachability-rehearse").path, "--json"] + self.targets.map(\.description)
          + ["--", "sh", "-c", script])
      guard result.status < 2 else { throw Evidence.Trouble(description: "rehearse: \(result)") }
      (output, copy) = (result.standardError, nil)
      written = try Prediction(json: result.standardOutput)
      return
    }
    self.targets = targets
    let monitor = lab.monitor
    let copy = try lab.inside {
      try NetworkRehearsal(of: targets, targets.map(monitor.currentStatus(of:)), monitor: monitor)
    }
    var bytes: [UInt8] = []
    let end = try copy.run(["sh", "-c", script]) { bytes += $0 }
    guard end == .exited(0) else { throw Evidence.Trouble(description: "the script ended with \(end)") }
    (output, self.copy, written) = (String(decoding: bytes, as: UTF8.self), copy, nil)
  }

  /// What the copy says now, or what the command has printed.
  func prediction() throws -> Prediction {
    if let written { return written }
    guard let copy else { throw Evidence.Trouble(description: "there is no copy") }
    return Prediction(copy.differences(), missing: copy.missingParts)
  }

  /// The statuses and the path of the real network now, for the same user.
  func reality(in lab: Lab) throws -> (statuses: [ReachabilityStatus], path: ReachabilityPath) {
    let (monitor, targets, user) = (lab.monitor, targets, user)
    return try lab.inside {
      try Users.acting(as: user) {
        (targets.map(monitor.currentStatus(of:)), monitor.path)
      }
    }
  }
}
