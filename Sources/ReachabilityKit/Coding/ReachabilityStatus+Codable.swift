// SPDX-License-Identifier: Apache-2.0
/// The names of the members in which statuses, paths, evidence and explanations are coded.
///
/// They are those of the command's JSON, whose lines are encoded by the same code.
package enum JSONKey: String, CodingKey {
  // Targets.
  case target, source, mark, transport, port
  // Statuses and events.
  case status, reason, flags, flagsValue, gateway, underlays, addresses, address, zone, remote, previous
  // Interfaces.
  case interface, name, index, kind, isTunnel, linkType
  // Paths.
  case path, interfaces, unusableInterfaces, gateways, nameServers, mtu, lower
  case supportsIPv4, reasonAgainstIPv4, supportsIPv6, reasonAgainstIPv6, supportsDNS, hasNameServer
  case isExpensive, isConstrained, captivePortalAPI
  // Evidence.
  case evidence, verdict, strength, fault, receivedMilliseconds, stalledMilliseconds, connections
  case answeringPeers, stalledPeers, stalledConnections, ownStalledConnections, suspectedMTU
  case nextHop, nextHopState, silentTunnelMilliseconds, obstacle, leftBehind, milliseconds, peer, timeouts
  // Explanations and attempts to connect.
  case summary, steps, family, fact, problem, advice, microseconds, connection, connected, attempts
  case families, lookUpMicroseconds, outcome, errorNumber, reporter, stoppedHere, start, greatestPacket
}

/// Coded as the object that the command's `--json` shows for a target; equal to the original when it is decoded.
extension ReachabilityStatus: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    self.init(
      try members.decode(State.self, forKey: .status),
      reason: try members.decodeIfPresent(Reason.self, forKey: .reason),
      flags: Flags(rawValue: try members.decode(UInt32.self, forKey: .flagsValue)),
      interface: try members.decodeInterface(),
      gateway: try members.decodeIfPresent(ReachabilityAddress.self, forKey: .gateway),
      source: try members.decodeIfPresent(ReachabilityAddress.self, forKey: .source),
      addresses: try members.decodeIfPresent([ResolvedAddress].self, forKey: .addresses) ?? [])
    let underlays = try members.decodeUnderlays()
    if !underlays.isEmpty { self.underlays = underlays }
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    try encodeRoute(to: encoder)
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(addresses, forKey: .addresses)
  }

  /// Encodes all but the addresses of a host.
  package func encodeRoute(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(state, forKey: .status)
    try members.encode(reason, forKey: .reason)
    try members.encode(flags.names, forKey: .flags)
    try members.encode(flags.rawValue, forKey: .flagsValue)
    try members.encode(interface)
    try members.encode(gateway, forKey: .gateway)
    try members.encode(source, forKey: .source)
    try members.encode(underlays)
  }
}

extension ReachabilityStatus.State: Codable {}
extension ReachabilityStatus.Reason: Codable {}

extension ReachabilityStatus.ResolvedAddress: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    self.init(
      try members.decode(ReachabilityAddress.self, forKey: .address),
      zone: try members.decodeIfPresent(Int.self, forKey: .zone),
      status: try ReachabilityStatus(from: decoder))
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(address, forKey: .address)
    if let zone { try members.encode(zone, forKey: .zone) }
    try status.encodeRoute(to: encoder)
    if !status.addresses.isEmpty { try members.encode(status.addresses, forKey: .addresses) }
  }
}

extension ReachabilityStatus.Underlay: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    self.init(
      to: try members.decode(ReachabilityAddress.self, forKey: .remote), over: try members.decodeInterface(),
      gateway: try members.decodeIfPresent(ReachabilityAddress.self, forKey: .gateway),
      source: try members.decodeIfPresent(ReachabilityAddress.self, forKey: .source))
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(remote, forKey: .remote)
    try members.encode(interface)
    try members.encode(gateway, forKey: .gateway)
    try members.encode(source, forKey: .source)
  }
}

/// Coded as a line of the command's `watch --json`, whose `event` and `time` are not part of it.
extension ReachabilityEvent: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    self.init(
      target: try members.decode(ReachabilityTarget.self, forKey: .target),
      status: try ReachabilityStatus(from: decoder),
      previous: try members.decodeIfPresent(ReachabilityStatus.self, forKey: .previous))
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    try status.encode(to: encoder, of: target, previous: previous)
  }
}

extension ReachabilityStatus {
  /// Encodes an event with this status.
  ///
  /// - Parameters:
  ///   - target: The target, or its text as a person wrote it.
  ///   - previous: The status before.
  package func encode(
    to encoder: any Encoder, of target: some Encodable, previous: ReachabilityStatus? = nil
  ) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(target, forKey: .target)
    try encode(to: encoder)
    try members.encode(previous, forKey: .previous)
  }
}

// MARK: - Interfaces

extension ReachabilityInterface: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    self = try members.decodeInterface(named: members.decode(String.self, forKey: .name))
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(name, forKey: .name)
    try members.encodeDetails(of: self)
  }
}

extension ReachabilityInterface.Kind: Codable {}

extension KeyedEncodingContainer<JSONKey> {
  /// Encodes what carries a tunnel; nothing without a tunnel.
  mutating func encode(_ underlays: [ReachabilityStatus.Underlay]) throws {
    if !underlays.isEmpty { try encode(underlays, forKey: .underlays) }
  }

  /// Encodes an interface whose members stand beside others.
  fileprivate mutating func encode(_ interface: ReachabilityInterface?) throws {
    try encode(interface?.name, forKey: .interface)
    try encodeDetails(of: interface)
  }

  fileprivate mutating func encodeDetails(of interface: ReachabilityInterface?) throws {
    try encode(interface?.index, forKey: .index)
    try encode(interface?.kind, forKey: .kind)
    try encode(interface?.isTunnel ?? false, forKey: .isTunnel)
    try encode(interface?.linkType, forKey: .linkType)
  }
}

extension KeyedDecodingContainer<JSONKey> {
  /// Decodes what carries a tunnel; empty without a tunnel.
  func decodeUnderlays() throws -> [ReachabilityStatus.Underlay] {
    try decodeIfPresent([ReachabilityStatus.Underlay].self, forKey: .underlays) ?? []
  }

  /// Decodes an interface whose members stand beside others; `nil` if there is none.
  fileprivate func decodeInterface() throws -> ReachabilityInterface? {
    try decodeIfPresent(String.self, forKey: .interface).map(decodeInterface)
  }

  fileprivate func decodeInterface(named name: String) throws -> ReachabilityInterface {
    ReachabilityInterface(
      name: name, index: try decode(Int.self, forKey: .index),
      kind: try decode(ReachabilityInterface.Kind.self, forKey: .kind),
      isTunnel: try decode(Bool.self, forKey: .isTunnel),
      linkType: try decodeIfPresent(String.self, forKey: .linkType))
  }
}

// MARK: - Targets

/// Coded as its text, such as `tcp://[fd00::1]:443`, or as an object where constraints have no place in the text.
extension ReachabilityTarget: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    guard let members = try? decoder.container(keyedBy: JSONKey.self) else {
      let container = try decoder.singleValueContainer()
      self = try Self(coded: container.decode(String.self), in: container)
      return
    }
    self = try Self(coded: members.decode(String.self, forKey: .target), in: decoder.singleValueContainer())
    source = try members.decodeIfPresent(ReachabilityAddress.self, forKey: .source)
    interface = try members.decodeIfPresent(Interface.self, forKey: .interface)
    mark = try members.decodeIfPresent(UInt32.self, forKey: .mark)
    transport = try members.decodeIfPresent(Transport.self, forKey: .transport)
    port = try members.decodeIfPresent(UInt16.self, forKey: .port)
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    let text = description
    if (try? Self(text)) == self {
      var container = encoder.singleValueContainer()
      try container.encode(text)
      return
    }
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(Self(destination).description, forKey: .target)
    try members.encodeIfPresent(source, forKey: .source)
    try members.encodeIfPresent(interface, forKey: .interface)
    try members.encodeIfPresent(mark, forKey: .mark)
    try members.encodeIfPresent(transport, forKey: .transport)
    try members.encodeIfPresent(port, forKey: .port)
  }

  private init(coded text: String, in container: any SingleValueDecodingContainer) throws {
    do throws(ReachabilityTargetError) {
      try self.init(text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
    }
  }
}

extension ReachabilityTarget.Transport: Codable {}

/// Coded as the name, or the index as a number, or the bytes of a name that is not UTF-8 as numbers.
extension ReachabilityTarget.Interface: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let name = try? container.decode(String.self) {
      self = .name(name)
    } else if let index = try? container.decode(Int.self) {
      self = .index(index)
    } else {
      self = .bytes(try container.decode([UInt8].self))
    }
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .name(let name): try container.encode(name)
    case .index(let index): try container.encode(index)
    case .bytes(let bytes): try container.encode(bytes)
    }
  }
}
