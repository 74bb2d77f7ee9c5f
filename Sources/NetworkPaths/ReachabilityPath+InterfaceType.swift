import ReachabilityKit

extension ReachabilityPath.Requirements {
  /// Creates the requirements of a path that uses interfaces of one type only.
  init(_ type: NWInterface.InterfaceType) {
    // Several kinds are of the type `other`, and the loopback interface is used only if it is required.
    let kinds = type.kinds
    self =
      kinds.count == 1
      ? Self(requiredKind: kinds[0])
      : Self(prohibitedKinds: Set(ReachabilityInterface.Kind.allCases).subtracting(kinds))
  }

  /// Creates the requirements of a path that uses no interface of some types.
  init(prohibiting types: [NWInterface.InterfaceType]) {
    self.init(prohibitedKinds: Set(types.flatMap(\.kinds)))
  }
}
