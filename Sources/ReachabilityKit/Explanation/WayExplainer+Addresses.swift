/// What addresses links have to send from.
private enum AddressState: Int {
  case none
  case onlyLinkLocal
  case tentative
  case duplicate
  case usable
}

extension WayExplainer {
  /// Whether an address in the link's own range is enough.
  private var isOfLink: Bool {
    if case .address(let address) = way.target.destination {
      return address.isLinkLocal || address.isLoopback
    }
    return false
  }

  private func addresses(of links: [LinkState]) -> [(link: LinkState, address: AssignedAddress)] {
    links.flatMap { link in
      (network.addresses[link.index] ?? LinkAddresses()).filter { $0.address.bitWidth == bitWidth }.sorted()
        .map { (link, $0) }
    }
  }

  private func state(of address: AssignedAddress) -> AddressState {
    // If all is lost for want of a source, the link's own address is missed as well.
    if address.address.isLinkLocal, !isOfLink, status.reason != .sourceAddressMissing {
      return .onlyLinkLocal
    }
    // IFA_F_DADFAILED.
    if address.flags & 0x08 != 0 { return .duplicate }
    if !address.isUsable { return .tentative }
    return address.address.isLinkLocal && !isOfLink ? .onlyLinkLocal : .usable
  }

  /// The interface that a person would mend something on: one that is up, better one that has an address.
  var likelyDevice: String {
    let up = candidates.filter { $0.condition == .up }
    let addressed = addresses(of: up).first { state(of: $0.address) == .usable }?.link
    return (addressed ?? up.first)?.name ?? "INTERFACE"
  }

  var addressesStep: ReachabilityExplanation.Step {
    let links = candidates.filter { $0.condition == .up || link != nil }
    let found = addresses(of: links)
    let texts = found.map { link, address in
      var text = "\(link.name) has \(address.address)/\(address.prefix.length)"
      switch state(of: address) {
      case .duplicate: text += " (another machine has it too)"
      case .tentative: text += " (still being checked for duplicates)"
      default: break
      }
      return text
    }
    let names = list(links.map(\.name))
    let fact =
      texts.isEmpty ? "no \(familyName) address" + (names.isEmpty ? "" : " on \(names)") : list(texts)
    // The best address tells what is missing.
    let best = found.map { state(of: $0.address) }.max { $0.rawValue < $1.rawValue } ?? .none
    if isLocal || best == .usable { return step(.addresses, .passed, fact) }
    if status.isReachable {
      // Packets come from an address of another link, or from one that no router passes on.
      guard best == .onlyLinkLocal, status.gateway != nil else {
        return step(.addresses, best == .onlyLinkLocal ? .passed : .unknown, fact)
      }
      let (problem, advice) = words(for: best, names, found.first?.address.address)
      return step(.addresses, .unknown, fact, problem: problem, advice: advice)
    }
    let isMissing = status.reason == .sourceAddressMissing && way.target.source == nil
    guard isMissing || isNoRoute, !links.isEmpty,
      links.contains(where: { $0.condition == .up })
    else { return step(.addresses, .unknown, fact) }
    let culprit = found.first { state(of: $0.address) == best }?.address.address
    let (problem, advice) = words(for: best, names, culprit)
    return step(.addresses, .failed, fact, problem: problem, advice: advice)
  }

  private func words(
    for state: AddressState, _ names: String, _ address: IPAddress?
  ) -> (problem: String, advice: String) {
    let culprit = address?.description ?? "its address"
    switch state {
    case .duplicate:
      return (
        "Another machine on the link has \(culprit) too, so that this one may not use it.",
        "Give one of the two another address: ip address del and ip address add."
      )
    case .tentative:
      return (
        "\(culprit) is still being checked for duplicates, so that nothing can be sent from it.",
        "Wait some seconds; if it lasts, check that the link of \(names) carries packets."
      )
    case .onlyLinkLocal where bitWidth == 128:
      return (
        "There are only link-local IPv6 addresses on \(names), and no router passes packets from them on.",
        "Check that a router announces a prefix there, or add an address: ip address add ADDRESS/64 dev \(likelyDevice)."
      )
    case .onlyLinkLocal:
      return (
        "There are only link-local IPv4 addresses on \(names), which is what is left where no DHCP server answers.",
        "Check that a DHCP server answers there, or add an address: ip address add ADDRESS/LENGTH dev \(likelyDevice)."
      )
    case .none, .usable:
      let source = bitWidth == 128 ? "a router announces a prefix" : "a DHCP server answers"
      return (
        "There is no \(familyName) address to send from on \(names).",
        "Check that \(source) there, or add an address: ip address add ADDRESS/LENGTH dev \(likelyDevice)."
      )
    }
  }
}

// MARK: - Source

extension WayExplainer {
  var sourceStep: ReachabilityExplanation.Step {
    if let source = status.source {
      let owner = network.links.values.filter { link in
        network.addresses[link.index]?.isAssigned(source) ?? false
      }
      .min { $0.index < $1.index }
      return step(.source, .passed, source.description + (owner.map { " of \($0.name)" } ?? ""))
    }
    guard status.reason == .sourceAddressMissing else {
      return step(.source, .unknown, "not known without a route")
    }
    guard let wanted = way.target.source else {
      return step(
        .source, .failed, "the kernel finds no address to send from",
        problem: "There is no address to send packets to \(destination) from.",
        advice: "Add one: ip address add ADDRESS/LENGTH dev INTERFACE.")
    }
    let owned = network.addresses.values.joined().filter { $0.address == wanted }
    guard let own = owned.first else {
      return step(
        .source, .failed, "no interface has \(wanted)",
        problem: "\(wanted), which packets are to come from, is not an address of this machine.",
        advice: "Add it (ip address add), or leave the choice of the source to the kernel.")
    }
    let (problem, advice): (String, String) =
      switch state(of: own) {
      case .duplicate, .tentative: words(for: state(of: own), "that address", wanted)
      default:
        (
          "Packets for \(destination) can't come from \(wanted).",
          "Take another source, or leave the choice to the kernel."
        )
      }
    return step(
      .source, .failed, "packets can't come from \(wanted)", problem: problem, advice: advice)
  }
}
