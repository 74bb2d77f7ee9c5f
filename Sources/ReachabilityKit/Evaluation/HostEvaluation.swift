/// What a name stands for, as far as it is known.
package enum NameAnswer: Hashable, Sendable {
  /// The addresses, in the resolver's order; never empty.
  case addresses([NamedAddress])
  /// Why there are none.
  case failure(ReachabilityStatus.Reason)
}

/// One address that a name stands for.
package struct NamedAddress: Hashable, Sendable {
  package var address: IPAddress
  /// The index of the interface that the resolver named with a link-local address.
  package var zone: Int?

  package init(_ address: IPAddress, zone: Int? = nil) {
    self.address = address
    self.zone = zone
  }
}

extension IPAddress {
  /// Where a connection to this address goes: to this machine, if it is the unspecified one.
  var connected: IPAddress {
    guard unmapped.isUnspecified else { return self }
    return unmapped.bitWidth == 32 ? "127.0.0.1" : "::1"
  }
}

extension NameAnswer {
  /// The loopback addresses, which `localhost` stands for whatever name servers say.
  package static var loopback: NameAnswer {
    .addresses([NamedAddress("::1"), NamedAddress("127.0.0.1")])
  }

  /// The answer that counts when this one is replaced by a newer one.
  ///
  /// Name servers hand out the same addresses in turns. That is no change as long as the families keep their places.
  package func replaced(by newer: NameAnswer) -> NameAnswer {
    guard case .addresses(let old) = self, case .addresses(let new) = newer, Set(old) == Set(new),
      old.map(\.address.bitWidth) == new.map(\.address.bitWidth)
    else { return newer }
    return self
  }

  /// The targets whose statuses make that of a host with this answer.
  package func targets(for host: ReachabilityTarget) -> [ReachabilityTarget] {
    guard case .addresses(let addresses) = self else { return [] }
    return addresses.map { named in
      var target = host.constraining(.address(named.address.connected))
      target.interface = host.interface ?? named.zone.map { .index($0) }
      return target
    }
  }

  /// Works out a host's status from those of its addresses, which are in the order of ``targets(for:)``.
  package func evaluation(of statuses: [Evaluation]) -> Evaluation {
    switch self {
    // That says nothing of the host.
    case .failure(let reason) where reason == .systemError || reason == .namesNotResolved:
      return Evaluation(.unknown(reason))
    case .failure(let reason):
      return Evaluation(.notReachable(reason))
    case .addresses(let addresses):
      // The earlier one of two that are equally good: it is the one that connections try first.
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

extension ReachabilityStatus {
  /// The rank of one of several addresses: reachable, waiting for a connection, not reachable, unknown.
  var usefulness: Int {
    switch (state, flags.contains(.connectionRequired)) {
    case (.reachable, _): 3
    case (.unknown, _): 0
    case (.notReachable, true): 2
    case (.notReachable, false): 1
    }
  }
}
