#if os(Linux)
extension SystemResolver.Failure {
  /// Returns the reason that a failure stands for.
  ///
  /// The resolver has one code for a name server that is silent, unreachable, missing or failing. The elapsed time and the
  /// reachability of the name servers distinguish these.
  func reason(
    after elapsed: Duration, _ configuration: @autoclosure () -> ResolverConfiguration,
    isReachable: (IPAddress, ReachabilityTarget.Interface?) -> Bool
  ) -> ReachabilityStatus.Reason {
    switch self {
    case .noName: return .nameNotFound
    case .noData, .noAddressOfFamily: return .noAddressRecords
    case .again, .failed: break
    default: return .systemError
    }
    let configuration = configuration()
    // Before the time: a server without a carrier is silent too.
    if configuration.isConfigured,
      !configuration.nameServers.contains(where: { isReachable($0.address, $0.zone) })
    {
      return .nameServerUnreachable
    }
    guard elapsed < min(configuration.timeout * 0.9, .seconds(2)) else { return .nameResolutionTimedOut }
    return configuration.isConfigured ? .nameServerFailed : .nameServerNotConfigured
  }
}
#endif
