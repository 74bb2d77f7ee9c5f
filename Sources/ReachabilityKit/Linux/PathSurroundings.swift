#if os(Linux)
/// The parts of a path that the kernel does not know.
struct PathSurroundings: Sendable {
  /// The file that lists the name servers; `nil` if none is known.
  var resolverFile: ResolverFile?
  /// The files of lookups; `nil` if there are none.
  var nameFiles: NameFileSource?
  /// The source of metered-connection information.
  var metering: (any MeteringSource)?

  /// The search domain that prevents lookups; `nil` if there is none, or the file can't be read.
  var overlongSearchDomain: ExplanationFacts.OverlongSearchDomain? {
    try? resolverFile.flatMap { try ExplanationFacts.OverlongSearchDomain.find(in: $0.path) }
  }

  /// The name servers; `nil` if they can't be read.
  ///
  /// Without a configured one, the system's resolver queries this machine.
  var nameServers: (list: [ReachabilityPath.NameServer], isCurrent: Bool, isConfigured: Bool)? {
    guard let resolverFile, nameFiles?.canLookUp ?? true else { return ([], true, false) }
    return resolverFile.read().map {
      ($0.configuration.nameServers, $0.isCurrent, $0.configuration.isConfigured)
    }
  }
}
#endif
