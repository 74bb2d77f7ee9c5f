extension PathExplainer {
  /// What carries the tunnel that packets enter, or `nil` if they enter none whose other end is known.
  var tunnelStep: ReachabilityExplanation.Step? {
    guard let first = path.status.underlays.first, let last = path.status.underlays.last else { return nil }
    let name = status.interface?.name ?? "it"
    let over = path.status.underlays.map { "over \($0)" }.joined(separator: " ")
    switch path.status.reason {
    case nil: return step(.tunnel, .passed, "\(first.remote) \(over)")
    case .tunnelLoop:
      return step(
        .tunnel, .failed, "\(first.remote) \(over): the tunnel's own packets enter it again",
        problem:
          "The packets of the tunnel \(name) to its other end, \(last.remote), are routed into the tunnel.",
        advice:
          "Let its route lead past the tunnel: \(tool(for: last.remote)) route replace \(last.remote) via GATEWAY dev INTERFACE."
      )
    case let reason?:
      if path.status.state == .unknown { return step(.tunnel, .unknown, "\(first.remote): \(reason)") }
      let place = last.interface.map { " on \($0.name)" } ?? ""
      return step(
        .tunnel, .failed, "\(first.remote) \(over): \(reason)",
        problem: "The tunnel \(name) cannot send to its other end, \(last.remote): \(reason)\(place).",
        advice: remoteAdvice ?? "Explain \(last.remote) itself.")
    }
  }

  /// The advice for the first failure on the way to the tunnel's other end.
  private var remoteAdvice: String? {
    path.remote.first.flatMap { remote in
      PathExplainer(remote, network, facts).steps.first { $0.verdict == .failed }?.advice
    }
  }

  private func tool(for address: IPAddress) -> String { address.bitWidth == 128 ? "ip -6" : "ip" }
}
