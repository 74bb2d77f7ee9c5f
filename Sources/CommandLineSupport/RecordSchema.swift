// SPDX-License-Identifier: Apache-2.0
/// The schema of records: what `record` writes and `report` reads, and what `--json` of other commands shares with it.
///
/// The words for states and reasons of targets and paths are the raw values of the library's enumerations.
package enum RecordSchema {
  /// The version, which each line begins with.
  package static let version = 1
  /// The text of each line before the time of the wall clock.
  package static let beginning = #"{"\#(Key.version.rawValue)":\#(version),"\#(Key.time.rawValue)":""#
  /// The text between the two times of a line of a record.
  package static let middle = #"","\#(Key.uptimeMicroseconds.rawValue)":"#

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
    case trace
    case rehearsal
    case repairs
  }

  /// The result of a verification.
  package enum VerificationState: String, Sendable, CaseIterable {
    case unknown, verified, captivePortal, failed
  }

  /// The result of one endpoint of a verification.
  package enum VerificationOutcome: String, Sendable {
    case passed, captivePortal, unexpected, notConnected, refused, timedOut
  }

  /// The names of the members that both the writer and the reader of records use.
  package enum Key: String, CodingKey {
    case version, time, uptimeMicroseconds, event
    // The run.
    case machine, machineID, boot, run, from, mark, family, namespace, heartbeatSeconds, lost
    // Targets and the path.
    case target, status, path, reason, interface, interfaces, unusableInterfaces, name
    case addresses, gateway, gateways, supportsIPv4, reasonAgainstIPv4, supportsIPv6, reasonAgainstIPv6
    // The evidence of whether a target answers.
    case evidence, verdict, fault
    // Verifications.
    case endpoint, endpoints, verification, portal, outcome, found, error
  }
}

extension JSONObject {
  /// Creates an object with the members that each line begins with: the version of the schema and the time.
  package init(at time: LineTime) {
    self.init()
    add(.version, RecordSchema.version)
    add(.time, time.wall.text)
    if let uptime = time.uptime { add(.uptimeMicroseconds, uptime) }
  }

  /// Adds a member that readers of records know.
  package mutating func add(_ key: RecordSchema.Key, _ value: some JSONValue) { add(key.rawValue, value) }

  /// Adds what the line is about.
  package mutating func add(event: RecordSchema.Event) { add(.event, event.rawValue) }

  /// Adds the members of a verification.
  ///
  /// - Parameters:
  ///   - portal: The page of a captive portal.
  ///   - path: The status of the path, and the reason for it.
  ///   - isCurrent: Whether the verification began after the last change of the path.
  ///   - portalAPI: The outcome of the network's interface to its portal, if it was queried.
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

  /// Adds the members of the outcome of one endpoint.
  ///
  /// - Parameters:
  ///   - outcome: The outcome.
  ///   - endpoint: The endpoint.
  ///   - portal: The page of a captive portal.
  ///   - expected: What was expected, if something else was found.
  ///   - found: What was found in its place.
  ///   - error: Why nothing answered.
  ///   - duration: The time that it took.
  package mutating func addOutcome(
    _ outcome: RecordSchema.VerificationOutcome, of endpoint: String, portal: String? = nil,
    expected: String? = nil, found: String? = nil, error: String? = nil, duration: Duration
  ) {
    add(.endpoint, endpoint)
    add(.outcome, outcome.rawValue)
    add(.portal, portal)
    add("expected", expected)
    add(.found, found)
    add(.error, error)
    add("milliseconds", Int(duration / .milliseconds(1)))
  }
}
