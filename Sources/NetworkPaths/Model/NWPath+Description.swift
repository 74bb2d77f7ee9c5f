extension NWPath: CustomDebugStringConvertible {
  /// One line in the form of Apple's systems, for example
  /// `satisfied (Path is satisfied), interface: wlan0[802.11], ipv4, dns, uses wifi, LQM: unknown`.
  public var debugDescription: String {
    var text =
      switch status {
      case .satisfied: "satisfied (Path is satisfied)"
      case .requiresConnection: "satisfiable (Path requires a connection)"
      case .unsatisfied:
        switch unsatisfiedReason {
        case .cellularDenied: "unsatisfied (Denied over cellular interface)"
        case .wifiDenied: "unsatisfied (Denied over Wi-Fi interface)"
        default: "unsatisfied (No network route)"
        }
      }
    if let first = availableInterfaces.first {
      text += ", interface: \(first.name)\(first.type == .wifi ? "[802.11]" : "")"
    }
    if supportsIPv4 { text += ", ipv4" }
    if supportsIPv6 { text += ", ipv6" }
    if supportsDNS { text += ", dns" }
    if isExpensive { text += ", expensive" }
    if isConstrained { text += ", constrained" }
    for (type, name) in [(NWInterface.InterfaceType.wifi, "wifi"), (.cellular, "cell")]
    where usesInterfaceType(type) {
      text += ", uses \(name), LQM: \(linkQuality)"
    }
    return text
  }
}
