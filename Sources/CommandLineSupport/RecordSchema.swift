/// The schema of records: what `record` writes and `report` reads, and what `--json` of other commands shares with it.
///
/// The words for states and reasons of targets and paths are the raw values of the library's enumerations.
package enum RecordSchema {
  /// The version, which each line begins with.
  package static let version = 1
  /// The text of each line before the time of the wall clock.
  package static let beginning =
    #"{"\#(JSONKey.version.stringValue)":\#(version),"\#(JSONKey.time.stringValue)":""#
  /// The text between the two times of a line of a record.
  package static let middle = #"","\#(JSONKey.uptimeMicroseconds.stringValue)":"#

  /// What a line is about.
  package enum Event: String, Sendable {
    /// The first line of a run of `record`.
    case start
    /// The first line of another file of the same run.
    case `continue`
    case heartbeat
    /// What the verification of an endpoint says.
    case verification
    /// The first line after some that could not be written.
    case resume
    case stop
    case initial
    case change
    /// The evidence means something else, the rest is as before.
    case evidence
    case check
    case explain
    case verify
  }

  /// The result of a verification.
  package enum VerificationState: String, Sendable {
    case unknown
    case verified
    case captivePortal
    case failed
  }

  /// The result of one endpoint of a verification.
  package enum VerificationOutcome: String, Sendable {
    case passed
    case captivePortal
    case unexpected
    case notConnected
    case timedOut
  }
}

/// The names that both the writer and the reader of records use.
extension JSONKey {
  package static var version: JSONKey { "version" }
  package static var time: JSONKey { "time" }
  package static var uptimeMicroseconds: JSONKey { "uptimeMicroseconds" }
  package static var event: JSONKey { "event" }

  // The run.
  package static var machine: JSONKey { "machine" }
  package static var machineID: JSONKey { "machineID" }
  package static var boot: JSONKey { "boot" }
  package static var run: JSONKey { "run" }
  package static var from: JSONKey { "from" }
  package static var mark: JSONKey { "mark" }
  package static var namespace: JSONKey { "namespace" }
  package static var heartbeatSeconds: JSONKey { "heartbeatSeconds" }
  package static var lost: JSONKey { "lost" }

  // Targets and the path.
  package static var target: JSONKey { "target" }
  package static var status: JSONKey { "status" }
  package static var path: JSONKey { "path" }
  package static var reason: JSONKey { "reason" }
  package static var interface: JSONKey { "interface" }
  package static var interfaces: JSONKey { "interfaces" }
  package static var unusableInterfaces: JSONKey { "unusableInterfaces" }
  package static var name: JSONKey { "name" }
  package static var addresses: JSONKey { "addresses" }
  package static var gateway: JSONKey { "gateway" }
  package static var gateways: JSONKey { "gateways" }

  // Verifications.
  package static var endpoint: JSONKey { "endpoint" }
  package static var endpoints: JSONKey { "endpoints" }
  package static var verification: JSONKey { "verification" }
  package static var portal: JSONKey { "portal" }
  package static var outcome: JSONKey { "outcome" }
  package static var found: JSONKey { "found" }
  package static var error: JSONKey { "error" }
}

extension JSONObject {
  /// Creates an object with the members that each line begins with: the version of the schema and the time.
  package init(at time: LineTime) {
    self.init()
    add(.version, RecordSchema.version)
    add(.time, time.wall.text)
    if let uptime = time.uptime { add(.uptimeMicroseconds, uptime) }
  }

  /// Adds what the line is about.
  package mutating func add(event: RecordSchema.Event) { add(.event, event.rawValue) }

  /// Adds the members of a verification.
  ///
  /// - Parameters:
  ///   - state: The result.
  ///   - portal: The page of a captive portal.
  ///   - path: The status of the path, and the reason for it.
  ///   - isCurrent: Whether the verification began after the last change of the path.
  ///   - portalAPI: The outcome of the network's interface to its portal, if it was queried.
  ///   - endpoints: The outcome of each endpoint.
  package mutating func addVerification(
    _ state: RecordSchema.VerificationState, portal: String? = nil,
    path: (status: String, reason: String?)? = nil, isCurrent: Bool = false, portalAPI: [JSONObject] = [],
    endpoints: [JSONObject] = []
  ) {
    add(.verification, state.rawValue)
    add(.portal, portal)
    add(.path, path?.status)
    add(.reason, path?.reason)
    add("isCurrent", isCurrent)
    add("portalAPI", portalAPI)
    add(.endpoints, endpoints)
  }
}
