/// The answer to the lookup of a name.
package enum NameAnswer: Hashable, Sendable {
  /// The addresses, in the resolver's order; never empty.
  case addresses([NamedAddress])
  /// The reason why there are no addresses.
  case failure(ReachabilityStatus.Reason)
}

extension NameAnswer {
  /// The loopback addresses, to which `localhost` always resolves.
  package static var loopback: NameAnswer {
    .addresses([NamedAddress("::1"), NamedAddress("127.0.0.1")])
  }

  /// Returns the answer that counts when a newer one arrives.
  ///
  /// Name servers rotate addresses. That is no change as long as the families keep their places.
  package func replaced(by newer: NameAnswer) -> NameAnswer {
    guard case .addresses(let old) = self, case .addresses(let new) = newer, Set(old) == Set(new),
      old.map(\.address.bitWidth) == new.map(\.address.bitWidth)
    else { return newer }
    return self
  }

  /// Returns the targets whose statuses decide that of a host with this answer.
  package func targets(for host: ReachabilityTarget) -> [ReachabilityTarget] {
    guard case .addresses(let addresses) = self else { return [] }
    return addresses.map { named in
      var target = host.constraining(.address(named.address.connected))
      target.interface = host.interface ?? named.zone.map { .index($0) }
      return target
    }
  }

  /// Evaluates a host by the results for its addresses, which are in the order of ``targets(for:)``.
  package func evaluation(of statuses: [Evaluation]) -> Evaluation {
    switch self {
    // These do not concern the host.
    case .failure(let reason) where reason == .systemError || reason == .namesNotResolved:
      return Evaluation(.unknown(reason))
    case .failure(let reason):
      return Evaluation(.notReachable(reason))
    case .addresses(let addresses):
      // The earlier of two equally good ones: connections try it first.
      let best = statuses.indices.max {
        (statuses[$0].status.usefulness, $1) < (statuses[$1].status.usefulness, $0)
      }
      guard let best, statuses.count == addresses.count else {
        return Evaluation(.notReachable(.noAddressRecords))
      }
      var status = statuses[best].status
      status.addresses = zip(addresses, statuses).map {
        ReachabilityStatus.ResolvedAddress($0.address, zone: $0.zone, status: $1.status)
      }
      return Evaluation(status, lifetime: statuses.compactMap(\.lifetime).min())
    }
  }
}
