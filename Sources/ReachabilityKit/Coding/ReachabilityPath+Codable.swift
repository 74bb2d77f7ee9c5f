// SPDX-License-Identifier: Apache-2.0
/// Coded as the object that the command's `path --json` shows; equal to the original when it is decoded.
extension ReachabilityPath: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    self.init(
      try members.decode(Status.self, forKey: .path),
      reason: try members.decodeIfPresent(ReachabilityStatus.Reason.self, forKey: .reason),
      interfaces: try members.decode([Interface].self, forKey: .interfaces),
      unusableInterfaces: try members.decode([UnusableInterface].self, forKey: .unusableInterfaces),
      reasonAgainstIPv4: try members.decodeIfPresent(
        ReachabilityStatus.Reason.self, forKey: .reasonAgainstIPv4),
      reasonAgainstIPv6: try members.decodeIfPresent(
        ReachabilityStatus.Reason.self, forKey: .reasonAgainstIPv6),
      nameServers: try members.decode([NameServer].self, forKey: .nameServers),
      isExpensive: try members.decodeIfPresent(Bool.self, forKey: .isExpensive),
      isConstrained: try members.decodeIfPresent(Bool.self, forKey: .isConstrained))
    hasNameServer = try members.decodeIfPresent(Bool.self, forKey: .hasNameServer)
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    try encode(to: encoder, interfaces: interfaces)
  }

  /// Encodes the path with another form of its interfaces.
  package func encode(to encoder: any Encoder, interfaces: some Encodable) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(status, forKey: .path)
    try members.encode(reason, forKey: .reason)
    try members.encode(interfaces, forKey: .interfaces)
    try members.encode(unusableInterfaces, forKey: .unusableInterfaces)
    try members.encode(gateways, forKey: .gateways)
    try members.encode(supportsIPv4, forKey: .supportsIPv4)
    try members.encode(reasonAgainstIPv4, forKey: .reasonAgainstIPv4)
    try members.encode(supportsIPv6, forKey: .supportsIPv6)
    try members.encode(reasonAgainstIPv6, forKey: .reasonAgainstIPv6)
    try members.encode(supportsDNS, forKey: .supportsDNS)
    try members.encodeIfPresent(hasNameServer, forKey: .hasNameServer)
    try members.encode(nameServers, forKey: .nameServers)
    try members.encode(isExpensive, forKey: .isExpensive)
    try members.encode(isConstrained, forKey: .isConstrained)
  }
}

extension ReachabilityPath.Status: Codable {}

extension ReachabilityPath.Interface: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    self.init(
      try ReachabilityInterface(from: decoder),
      addresses: try members.decode([ReachabilityPath.Address].self, forKey: .addresses),
      mtu: try members.decodeIfPresent(Int.self, forKey: .mtu),
      lower: try members.decode([ReachabilityInterface].self, forKey: .lower),
      gateways: try members.decode([ReachabilityAddress].self, forKey: .gateways),
      supportsIPv4: try members.decode(Bool.self, forKey: .supportsIPv4),
      supportsIPv6: try members.decode(Bool.self, forKey: .supportsIPv6),
      isExpensive: try members.decodeIfPresent(Bool.self, forKey: .isExpensive))
    captivePortalAPI = try members.decodeIfPresent(String.self, forKey: .captivePortalAPI)
    underlays = try members.decodeUnderlays()
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    try interface.encode(to: encoder)
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(mtu, forKey: .mtu)
    try members.encode(addresses, forKey: .addresses)
    try members.encode(gateways, forKey: .gateways)
    try members.encode(supportsIPv4, forKey: .supportsIPv4)
    try members.encode(supportsIPv6, forKey: .supportsIPv6)
    try members.encode(isExpensive, forKey: .isExpensive)
    try members.encodeIfPresent(captivePortalAPI, forKey: .captivePortalAPI)
    try members.encode(lower, forKey: .lower)
    try members.encode(underlays)
  }
}

extension ReachabilityPath.UnusableInterface: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    self.init(
      try ReachabilityInterface(from: decoder),
      reason: try members.decode(ReachabilityStatus.Reason.self, forKey: .reason),
      addresses: try members.decode([ReachabilityPath.Address].self, forKey: .addresses))
    underlays = try members.decodeUnderlays()
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    try interface.encode(to: encoder)
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(reason, forKey: .reason)
    try members.encode(addresses, forKey: .addresses)
    try members.encode(underlays)
  }
}

/// Coded as its text, such as `10.1.0.1/24`.
extension ReachabilityPath.Address: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = ReachabilityAddress(String(parts[0])), let length = parts.last.flatMap({ Int($0) }),
      (0...address.bitWidth).contains(length)
    else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "'\(text)' is no address with a prefix length")
    }
    self.init(address, prefixLength: length)
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension ReachabilityPath.NameServer: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    let text = try members.decode(String.self, forKey: .address)
    guard let address = ReachabilityAddress(String(text.prefix { $0 != "%" })) else {
      throw DecodingError.dataCorruptedError(
        forKey: .address, in: members, debugDescription: "'\(text)' is no address")
    }
    self.init(
      address, zone: try members.decodeIfPresent(ReachabilityTarget.Interface.self, forKey: .zone),
      reason: try members.decodeIfPresent(ReachabilityStatus.Reason.self, forKey: .reason))
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(description, forKey: .address)
    try members.encodeIfPresent(zone, forKey: .zone)
    try members.encode(reason, forKey: .reason)
  }
}
