#if os(Linux)
extension SystemResolver.Failure {
  /// Says why, as far as that can be told from outside.
  ///
  /// The resolver has one word for a name server that is silent, out of reach, not there, or in trouble. How long it
  /// took, and whether packets for a name server leave this machine, tell these apart.
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
    guard elapsed < min(configuration.timeout * 0.9, .seconds(2)) else { return .nameResolutionTimedOut }
    guard configuration.isConfigured else { return .nameServerNotConfigured }
    let isAnyReachable = configuration.nameServers.contains { isReachable($0.address, $0.zone) }
    return isAnyReachable ? .nameServerFailed : .nameServerUnreachable
  }
}
#endif
