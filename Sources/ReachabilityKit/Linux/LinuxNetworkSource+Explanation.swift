#if os(Linux)
extension LinuxNetworkSource {
  func facts(about targets: [ReachabilityTarget], _ whole: ReachabilityTarget) -> ExplanationFacts {
    let nameServers = surroundings.nameServers?.list
    return callers.withLock { $0.facts(about: targets, nameServers) }
  }
}
#endif
