extension ReachabilityTarget {
  /// The addresses whose routes decide the status.
  var routedAddresses: [IPAddress] {
    let destinations: [IPAddress] =
      switch destination {
      case .address(let address): [address]
      case .defaultRoute: Evaluator.defaultRouteAddresses
      // Once its name is resolved, a host is evaluated by targets for its addresses.
      case .host: []
      }
    return destinations + (source.map { [$0] } ?? [])
  }
}
