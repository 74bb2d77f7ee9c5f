// SPDX-License-Identifier: Apache-2.0
/// Coded with ages in whole milliseconds, the kernel's resolution.
extension TrafficEvidence: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    self.init(
      try members.decode(Verdict.self, forKey: .verdict),
      strength: try members.decode(Strength.self, forKey: .strength),
      fault: try members.decodeIfPresent(Fault.self, forKey: .fault),
      received: try members.decodeIfPresent(Int64.self, forKey: .receivedMilliseconds).map(
        Duration.milliseconds),
      stalled: try members.decodeIfPresent(Int64.self, forKey: .stalledMilliseconds).map(
        Duration.milliseconds),
      connections: try members.decode(Int.self, forKey: .connections),
      answeringPeers: try members.decode(Int.self, forKey: .answeringPeers),
      stalledPeers: try members.decode(Int.self, forKey: .stalledPeers),
      stalledConnections: try members.decode(Int.self, forKey: .stalledConnections),
      ownStalledConnections: try members.decode([StalledConnection].self, forKey: .ownStalledConnections),
      suspectedMTU: try members.decodeIfPresent(Int.self, forKey: .suspectedMTU),
      silentTunnel: try members.decodeIfPresent(Int64.self, forKey: .silentTunnelMilliseconds).map(
        Duration.milliseconds),
      obstacle: try members.decodeIfPresent(Obstacle.self, forKey: .obstacle),
      leftBehind: try members.decodeIfPresent(LeftBehind.self, forKey: .leftBehind))
    if let address = try members.decodeIfPresent(ReachabilityAddress.self, forKey: .nextHop) {
      nextHop = NextHop(
        address: address, state: try members.decode(NextHop.State.self, forKey: .nextHopState))
    }
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(verdict, forKey: .verdict)
    try members.encode(strength, forKey: .strength)
    try members.encode(fault, forKey: .fault)
    try members.encode(received?.milliseconds, forKey: .receivedMilliseconds)
    try members.encode(stalled?.milliseconds, forKey: .stalledMilliseconds)
    try members.encode(connections, forKey: .connections)
    try members.encode(answeringPeers, forKey: .answeringPeers)
    try members.encode(stalledPeers, forKey: .stalledPeers)
    try members.encode(stalledConnections, forKey: .stalledConnections)
    try members.encode(ownStalledConnections, forKey: .ownStalledConnections)
    try members.encode(suspectedMTU, forKey: .suspectedMTU)
    try members.encode(nextHop?.address, forKey: .nextHop)
    try members.encode(nextHop?.state, forKey: .nextHopState)
    try members.encode(silentTunnel?.milliseconds, forKey: .silentTunnelMilliseconds)
    try members.encode(obstacle, forKey: .obstacle)
    try members.encode(leftBehind, forKey: .leftBehind)
  }
}

extension TrafficEvidence.Verdict: Codable {}
extension TrafficEvidence.Strength: Codable {}
extension TrafficEvidence.Fault: Codable {}
extension TrafficEvidence.Obstacle: Codable {}
extension TrafficEvidence.NextHop.State: Codable {}

extension TrafficEvidence.LeftBehind: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    self.init(
      connections: try members.decode(Int.self, forKey: .connections),
      duration: .milliseconds(try members.decode(Int64.self, forKey: .milliseconds)),
      addresses: try members.decode([ReachabilityAddress].self, forKey: .addresses))
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(connections, forKey: .connections)
    try members.encode(duration.milliseconds, forKey: .milliseconds)
    try members.encode(addresses, forKey: .addresses)
  }
}

extension TrafficEvidence.StalledConnection: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    self.init(
      peer: try members.decode(ReachabilityAddress.self, forKey: .peer),
      port: try members.decode(UInt16.self, forKey: .port),
      duration: .milliseconds(try members.decode(Int64.self, forKey: .milliseconds)),
      timeouts: try members.decode(Int.self, forKey: .timeouts))
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(peer, forKey: .peer)
    try members.encode(port, forKey: .port)
    try members.encode(duration.milliseconds, forKey: .milliseconds)
    try members.encode(timeouts, forKey: .timeouts)
  }
}

extension Duration {
  /// The whole milliseconds; exact, unlike a quotient of durations.
  package var milliseconds: Int { count(perSecond: 1000) }

  /// The whole microseconds; exact, unlike a quotient of durations.
  package var microseconds: Int { count(perSecond: 1_000_000) }

  private func count(perSecond units: Int64) -> Int {
    let (seconds, attoseconds) = components
    let (whole, isOverflow) = seconds.multipliedReportingOverflow(by: units)
    return isOverflow
      ? (seconds < 0 ? .min : .max) : Int(clamping: whole + attoseconds / (1_000_000_000_000_000_000 / units))
  }
}
