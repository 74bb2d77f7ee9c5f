// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// The state of a link's addresses as sources, from worst to best.
private enum AddressState: Int {
  case none
  case onlyLinkLocal
  case tentative
  case duplicate
  case usable
}

extension PathExplainer {
  /// Whether a link-local or loopback address is a sufficient source.
  private var isOfLink: Bool {
    if case .address(let address) = path.target.destination {
      return address.isLinkLocal || address.isLoopback
    }
    return false
  }

  private func addresses(of links: [LinkState]) -> [(link: LinkState, address: AddressMessage)] {
    links.flatMap { link in
      (network.addresses[link.index] ?? LinkAddresses()).filter { $0.address.bitWidth == bitWidth }.sorted()
        .map { (link, $0) }
    }
  }

  private func state(of address: AddressMessage) -> AddressState {
    // If the source is missing altogether, so is a usable link-local address.
    if address.address.isLinkLocal, !isOfLink, status.reason != .sourceAddressMissing {
      return .onlyLinkLocal
    }
    if address.flags.contains(.duplicate) { return .duplicate }
    if !address.isUsable { return .tentative }
    return address.address.isLinkLocal && !isOfLink ? .onlyLinkLocal : .usable
  }

  /// The interface that a command names: one that is up, preferably one that has an address.
  var likelyDevice: String {
    let up = candidates.filter { $0.condition == .up && carriesFamily($0) }
    let addressed = addresses(of: up).first { state(of: $0.address) == .usable }?.link
    return (addressed ?? up.first)?.shellWord ?? "INTERFACE"
  }

  /// What a route needs besides where no prefix of an address contains the router, as with `10.1.0.1/32`.
  var onLink: String {
    let own = addresses(of: candidates.filter { $0.condition == .up }).filter {
      state(of: $0.address) == .usable
    }
    return own.isEmpty || own.contains { $0.address.prefix.length < bitWidth } ? "" : " onlink"
  }

  /// Whether packets of the family leave by a link in any case.
  private func carriesFamily(_ link: LinkState) -> Bool { bitWidth == 32 || link.carriesIPv6 }

  var addressesStep: ReachabilityExplanation.Step {
    let all = candidates.filter { $0.condition == .up || link != nil }
    let links = all.filter(carriesFamily)
    let found = addresses(of: links)
    let texts = found.map { link, address in
      var text = "\(link.name) has \(address.address)/\(address.prefix.length)"
      switch state(of: address) {
      case .duplicate: text += " (another machine has it too)"
      case .tentative: text += " (tentative: duplicate address detection is running)"
      default: break
      }
      return text
    }
    let names = list(links.map(\.name))
    let fact =
      texts.isEmpty ? "no \(familyName) address" + (names.isEmpty ? "" : " on \(names)") : list(texts)
    // The best address shows what is missing.
    let best = found.map { state(of: $0.address) }.max { $0.rawValue < $1.rawValue } ?? .none
    if isLocal || best == .usable { return step(.addresses, verdict: .passed, fact) }
    if status.isReachable {
      // The source is an address of another link, or one that routers do not forward.
      guard best == .onlyLinkLocal, status.gateway != nil || path.route?.destinationLength == 0 else {
        return step(.addresses, verdict: best == .onlyLinkLocal ? .passed : .unknown, fact)
      }
      let (problem, advice) = words(for: best, names, found.first?.address.address)
      return step(.addresses, verdict: .unknown, fact, problem: problem, advice: advice)
    }
    if isNoRoute, links.isEmpty, let first = all.first(where: { $0.condition == .up }) {
      let (cause, advice) = words(forLinkWithoutIPv6: first)
      return step(
        .addresses, verdict: .failed, "no IPv6 on \(list(all.map(\.name)))", problem: "\(cause).",
        advice: advice)
    }
    let isMissing = status.reason == .sourceAddressMissing && path.target.source == nil
    guard isMissing || isNoRoute, !links.isEmpty,
      links.contains(where: { $0.condition == .up })
    else { return step(.addresses, verdict: .unknown, fact) }
    let culprit = found.first { state(of: $0.address) == best }?.address.address
    let (problem, advice) = words(for: best, names, culprit)
    return step(.addresses, verdict: .failed, fact, problem: problem, advice: advice)
  }

  private func words(
    for state: AddressState, _ names: String, _ address: ReachabilityAddress?
  ) -> (problem: String, advice: String) {
    let culprit = address?.description ?? "its address"
    switch state {
    case .duplicate:
      return (
        "Another machine on the link has \(culprit) too, so this machine cannot use it.",
        "Change the address of one of them: ip address del, then ip address add."
      )
    case .tentative:
      return (
        "\(culprit) is tentative: it cannot be used until duplicate address detection ends.",
        "Wait a few seconds; if it stays tentative, check that the link of \(names) carries packets."
      )
    case .onlyLinkLocal where bitWidth == 128:
      return (
        "There are only link-local IPv6 addresses on \(names), and routers do not forward packets from them.",
        "Check that a router advertises a prefix there, or add an address: ip address add ADDRESS/64 dev \(likelyDevice)."
      )
    case .onlyLinkLocal:
      return (
        "There are only link-local IPv4 addresses on \(names), usually because no DHCP server answers.",
        "Check that a DHCP server answers there, or add an address: ip address add ADDRESS/LENGTH dev \(likelyDevice)."
      )
    case .none, .usable:
      let source = bitWidth == 128 ? "a router advertises a prefix" : "a DHCP server answers"
      return (
        "There is no \(familyName) address to send from on \(names).",
        "Check that \(source) there, or add an address: ip address add ADDRESS/LENGTH dev \(likelyDevice)."
      )
    }
  }

  // MARK: - Source

  var sourceStep: ReachabilityExplanation.Step {
    if let source = status.source {
      let owner = network.links.values.filter { link in
        network.addresses[link.index]?.isAssigned(source) ?? false
      }
      .min { $0.index < $1.index }
      return step(.source, verdict: .passed, source.description + (owner.map { " of \($0.name)" } ?? ""))
    }
    guard status.reason == .sourceAddressMissing else {
      return step(.source, verdict: .unknown, "unknown without a route")
    }
    guard let wanted = path.target.source else {
      return step(
        .source, verdict: .failed, "the kernel finds no source address",
        problem: "There is no source address for packets to \(destination).",
        advice: "Add one: ip address add ADDRESS/LENGTH dev INTERFACE.")
    }
    let owned = network.addresses.values.joined().filter { $0.address == wanted }
    guard let own = owned.first else {
      return step(
        .source, verdict: .failed, "no interface has \(wanted)",
        problem: "The source address \(wanted) is not assigned to this machine.",
        advice: "Add it (ip address add), or let the kernel choose the source.")
    }
    let (problem, advice): (String, String) =
      switch state(of: own) {
      case .duplicate, .tentative: words(for: state(of: own), "that address", wanted)
      default:
        (
          "Packets to \(destination) cannot be sent from \(wanted).",
          "Use another source, or let the kernel choose it."
        )
      }
    return step(
      .source, verdict: .failed, "packets cannot be sent from \(wanted)", problem: problem, advice: advice)
  }
}
#endif
