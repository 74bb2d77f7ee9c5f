// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
/// Explains the path to one address, or by the default route of one family.
struct PathExplainer {
  let path: PathFacts
  let tables: TableFacts

  var network: NetworkState { tables.network }

  /// The steps in the order in which a packet meets them.
  var steps: [ReachabilityExplanation.Step] {
    [interfaceStep, addressesStep, routeStep, nextHopStep, sourceStep]
      + [ipsecStep, tunnelStep].compactMap(\.self)
  }

  /// The status by links, addresses and routes: tunnels and IPsec policies have steps of their own.
  var status: ReachabilityStatus { path.routedStatus ?? path.status }
  var isDefault: Bool { path.target.destination == .defaultRoute }
  var isLocal: Bool { status.flags.contains(.isLocalAddress) }
  var bitWidth: Int { path.family == .v6 ? 128 : 32 }
  var familyName: String { path.family?.description ?? "IP" }
  /// The `ip` command, with `-6` where that makes a difference.
  var tool: String { path.family == .v6 ? "ip -6" : "ip" }

  /// The destination, as sentences name it.
  var destination: String {
    if case .address(let address) = path.target.destination {
      address.description
    } else {
      "the default route"
    }
  }

  /// The only link that matters, or `nil` if it is not known.
  var link: LinkState? {
    if let index = status.interface.flatMap({ Int32(exactly: $0.index) }) { return network.links[index] }
    if let wanted = path.target.interface { return network.index(of: wanted).flatMap { network.links[$0] } }
    if status.isReachable, case .success(let reply)? = path.answer {
      return reply.interface.flatMap { network.links[$0] }
    }
    return nil
  }

  /// The links by which packets might leave: the only one, or all that are not part of another.
  var candidates: [LinkState] {
    if let link { return [link] }
    if path.target.interface != nil { return [] }
    var wantsLoopback = false
    if case .address(let address) = path.target.destination { wantsLoopback = address.isLoopback }
    return network.links.values
      .filter { ($0.interface.kind == .loopback) == wantsLoopback && ($0.master == nil || wantsLoopback) }
      .sorted { $0.index < $1.index }
  }

  /// Whether there is no route, so that the cause may be an interface or an address as well.
  var isNoRoute: Bool { status.reason == .noRoute && !isUnsupported }
  /// Whether the kernel does not support the destination's family.
  var isUnsupported: Bool { path.answer == .failure(.familyUnsupported) }

  func step(
    _ kind: ReachabilityExplanation.Step.Kind, verdict: ReachabilityExplanation.Step.Verdict,
    _ fact: String,
    problem: String? = nil, advice: String? = nil
  ) -> ReachabilityExplanation.Step {
    .init(kind, family: path.family, verdict, fact: fact, problem: problem, advice: advice)
  }
}

// MARK: - Interface

extension PathExplainer {
  var interfaceStep: ReachabilityExplanation.Step {
    switch status.reason {
    case .interfaceNotFound:
      let name = path.target.interface?.description ?? "of that name"
      return step(
        .interface, verdict: .failed, "there is no interface \(name)",
        problem: "The interface \(name) does not exist.",
        advice:
          "Plug in the device, create the interface or remove the constraint; 'ip link' lists the interfaces."
      )
    case .zoneMissing:
      return step(
        .interface, verdict: .failed, "a link-local address without an interface",
        problem: "\(destination) is link-local, and no interface is given.",
        advice: "Name the interface, as in \(destination)%eth0.")
    default: break
    }
    let links = candidates
    if let link {
      if isLocal { return step(.interface, verdict: .passed, "this machine's own, on \(link.interface)") }
      guard link.condition != .up || status.reason == .noCarrier else {
        return step(.interface, verdict: .passed, "\(link.interface) is up")
      }
      let isDecisive = [.interfaceDown, .noCarrier, .linkDormant, .noRoute].contains(status.reason)
      return deadStep(isDecisive ? .failed : .unknown, [link])
    }
    if links.isEmpty {
      return step(
        .interface, verdict: isNoRoute ? .failed : .unknown, "no interface but the loopback interface",
        problem: isNoRoute ? "This machine has no network interface." : nil,
        advice: isNoRoute
          ? "Plug in a network device, or load its driver; 'ip link' lists the interfaces." : nil)
    }
    let up = links.filter { $0.condition == .up }
    guard up.isEmpty else {
      return step(.interface, verdict: .passed, list(up.map { "\($0.interface) is up" }))
    }
    return deadStep(isNoRoute ? .failed : .unknown, links)
  }

  /// Returns the step of links of which none is up, with advice for the one closest to working.
  private func deadStep(_ verdict: ReachabilityExplanation.Step.Verdict, _ links: [LinkState])
    -> ReachabilityExplanation.Step
  {
    let fact = list(links.map { "\($0.interface): \(words(for: $0))" })
    guard verdict == .failed, let best = links.max(by: { rank(of: $0) < rank(of: $1) }) else {
      return step(.interface, verdict: verdict, fact)
    }
    let (problem, advice) = words(forRepairOf: best)
    return step(
      .interface, verdict: .failed, fact,
      problem: links.count == 1 ? problem : "None of the \(links.count) interfaces is up and has a carrier.",
      advice: advice)
  }

  private func rank(of link: LinkState) -> Int {
    switch link.condition {
    case .down: 0
    case .noCarrier: 1
    case .dormant: 2
    case .up: 3
    }
  }

  private func words(for link: LinkState) -> String {
    switch tables.radioBlocks[link.index] {
    case .hard: conditionWords(for: link) + ", its radio blocked by a switch"
    case .soft: conditionWords(for: link) + ", its radio blocked by software"
    case nil: conditionWords(for: link)
    }
  }

  private func conditionWords(for link: LinkState) -> String {
    switch link.condition {
    case .down: "administratively down"
    case .dormant: "up, but dormant"
    case .noCarrier, .up: "up, but without a carrier"
    }
  }

  private func words(forRepairOf link: LinkState) -> (problem: String, advice: String) {
    let name = link.name
    switch tables.radioBlocks[link.index] {
    case .hard:
      return (
        "The radio of \(name) is blocked by a hardware switch or the firmware.",
        "Turn on the switch, or the key or setting that replaces it; 'rfkill list' shows its state."
      )
    case .soft:
      return (
        "The radio of \(name) is blocked by software.", "Unblock it: rfkill unblock \(radioType(for: link))."
      )
    case nil: break
    }
    switch link.condition {
    case .down:
      let isRadio = [.wifi, .cellular, .bluetooth].contains(link.interface.kind)
      // The kernel refuses to bring up a link whose radio a hardware switch blocks.
      let more = isRadio ? "; if that is refused, see which switch blocks the radio: rfkill list" : ""
      return (
        "The interface \(name) is administratively down.",
        "Switch it on: ip link set dev \(link.shellWord) up\(more)."
      )
    case .dormant:
      return (
        "\(name) is dormant: it waits for authentication (802.1X) or for the remote end of a dial-up link.",
        "Check the supplicant or dialer for \(name)."
      )
    case .noCarrier where isHeldBack(link), .up where isHeldBack(link):
      return (
        "\(name) has no carrier, since none of its ports forwards packets yet, although some are up.",
        "Wait: spanning tree holds back a port for half a minute. If it lasts, see the state of each port: bridge link."
      )
    case .noCarrier, .up:
      let advice =
        switch link.interface.kind {
        case .wifi: "Join a network: check the supplicant or the network manager."
        case .cellular: "Connect the modem: check its manager, the SIM and the signal."
        case .bluetooth: "Connect to the other device."
        case .wired where link.interface.linkType == nil:
          "Check the cable, and that the device at its other end is switched on."
        default: "Bring up the other end of \(name), or the link below it."
        }
      return ("\(name) is up but has no carrier.", advice)
    }
  }

  /// Whether a link is a bridge with a port that is up.
  private func isHeldBack(_ link: LinkState) -> Bool {
    link.interface.linkType == "bridge" && network.lower(of: link.index).contains { $0.condition == .up }
  }

  /// The name of the radio's type in `rfkill`.
  private func radioType(for link: LinkState) -> String {
    switch link.interface.kind {
    case .cellular: "wwan"
    case .bluetooth: "bluetooth"
    default: "wifi"
    }
  }

  /// Joins the first texts, so that a thousand do not push the rest off the screen.
  func list(_ texts: [String]) -> String {
    let limit = 6
    let more = texts.count > limit ? ", and \(texts.count - limit) more" : ""
    return texts.prefix(limit).joined(separator: ", ") + more
  }

  /// The IPsec policy that stops packets, or `nil` if none does.
  var ipsecStep: ReachabilityExplanation.Step? {
    guard let ipsec = path.ipsec else { return nil }
    let policy = ipsec.policy.map { "policy \($0)" } ?? "a policy that this process may not list"
    if ipsec.isBlocked {
      return step(
        .ipsec, verdict: .failed, "\(policy): block",
        problem: "An IPsec policy blocks packets to \(destination).",
        advice: ipsec.deletion.map { "If this is not intended, remove it: \($0)." }
          ?? "Find it, as root: ip xfrm policy; if it is not intended, remove it.")
    }
    let removal = ipsec.deletion.map { ", or remove the policy: \($0)." } ?? ", or remove the policy."
    return step(
      .ipsec, verdict: .unknown, "\(policy): its template has no state, so no packet leaves",
      problem: "An IPsec policy for \(destination) requires a state (SA) that does not exist.",
      advice: "Check the IKE daemon and its peer" + removal)
  }

  /// What carries the tunnel that packets enter, or `nil` if they enter none whose other end is known.
  var tunnelStep: ReachabilityExplanation.Step? {
    guard let first = path.status.underlays.first, let last = path.status.underlays.last else { return nil }
    let name = status.interface?.name ?? "it"
    let over = path.status.underlays.map { "over \($0)" }.joined(separator: " ")
    switch path.status.reason {
    case nil: return step(.tunnel, verdict: .passed, "\(first.remote) \(over)")
    case .tunnelLoop:
      return step(
        .tunnel, verdict: .failed, "\(first.remote) \(over): the tunnel's own packets enter it again",
        problem:
          "The packets of the tunnel \(name) to its other end, \(last.remote), are routed into the tunnel.",
        advice:
          "Let its route lead past the tunnel: \(tool(for: last.remote)) route replace \(last.remote) via GATEWAY dev INTERFACE."
      )
    case let reason?:
      if path.status.state == .unknown {
        return step(.tunnel, verdict: .unknown, "\(first.remote): \(reason)")
      }
      let place = last.interface.map { " on \($0.name)" } ?? ""
      return step(
        .tunnel, verdict: .failed, "\(first.remote) \(over): \(reason)",
        problem: "The tunnel \(name) cannot send to its other end, \(last.remote): \(reason)\(place).",
        advice: remoteAdvice ?? "Explain \(last.remote) itself.")
    }
  }

  /// The advice for the first failure on the way to the tunnel's other end.
  private var remoteAdvice: String? {
    path.remote.first.flatMap { remote in
      PathExplainer(path: remote, tables: tables).steps.first { $0.verdict == .failed }?.advice
    }
  }

  private func tool(for address: ReachabilityAddress) -> String { address.bitWidth == 128 ? "ip -6" : "ip" }
}
#endif
