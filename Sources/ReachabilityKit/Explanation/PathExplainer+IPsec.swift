extension PathExplainer {
  /// The IPsec policy that stops packets, or `nil` if none does.
  var ipsecStep: ReachabilityExplanation.Step? {
    guard let ipsec = path.ipsec else { return nil }
    let policy = ipsec.policy.map { "policy \($0)" } ?? "a policy that this process may not list"
    if ipsec.isBlocked {
      return step(
        .ipsec, .failed, "\(policy): block", problem: "An IPsec policy blocks packets to \(destination).",
        advice: ipsec.deletion.map { "If this is not intended, remove it: \($0)." }
          ?? "Find it, as root: ip xfrm policy; if it is not intended, remove it.")
    }
    let removal = ipsec.deletion.map { ", or remove the policy: \($0)." } ?? ", or remove the policy."
    return step(
      .ipsec, .unknown, "\(policy): its template has no state, so no packet leaves",
      problem: "An IPsec policy for \(destination) requires a state (SA) that does not exist.",
      advice: "Check the IKE daemon and its peer" + removal)
  }
}
