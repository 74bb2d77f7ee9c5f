// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityKit
import ReachabilityRehearsal

extension JSONObject {
  /// The object of a rehearsal.
  init(
    _ differences: RehearsalDifferences, names: [String], missing: [NetworkRehearsal.MissingPart]
  ) {
    self.init(at: .now)
    add(event: .rehearsal)
    add("nothingIsLost", differences.nothingIsLost)
    add("isOutdated", differences.isOutdated)
    add("targets", zip(names, differences.targets).map { JSONObject($1, name: $0) })
    add("path", JSONObject(before: Self(differences.pathBefore), after: Self(differences.pathAfter)))
    add("pathDoubt", differences.pathDoubt)
    add("connections", differences.connections.map { Self($0) })
    add("caveats", differences.caveats)
    add("missing", missing.map(\.description))
  }

  private init(before: JSONObject, after: JSONObject) {
    self.init()
    add("before", before)
    add("after", after)
  }

  private init(_ target: RehearsalDifferences.Target, name: String) {
    self.init()
    add("target", name)
    add("before", Self(target.before))
    add("after", Self(target.after))
    add("isLost", target.isLost)
    add("doubt", target.doubt)
  }

  private init(_ status: ReachabilityStatus) {
    self.init()
    add("status", status.state.rawValue)
    add("reason", status.reason?.rawValue)
    add("interface", status.interface?.name)
    add("gateway", status.gateway?.description)
    add("source", status.source?.description)
  }

  private init(_ path: ReachabilityPath) {
    self.init()
    add("path", path.status.rawValue)
    add("reason", path.reason?.rawValue)
    add("interfaces", path.interfaces.map(\.interface.name))
  }

  private init(_ connection: RehearsalDifferences.Connection) {
    self.init()
    add("local", connection.local.description)
    add("localPort", Int(connection.localPort))
    add("remote", connection.remote.description)
    add("remotePort", Int(connection.remotePort))
    add("user", Int(connection.user))
    add("processes", connection.processes)
    add("isSession", connection.isSession)
    add("outcome", connection.outcome.rawValue)
    add("reason", connection.reason)
  }
}
