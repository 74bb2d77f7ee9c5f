/// Equality by identity, as ``CFEqual(_:_:)`` and ``CFHash(_:)`` have it; on Apple platforms, every type of Core
/// Foundation conforms.
extension SCNetworkReachability: Hashable {
  /// Returns whether two targets are the same object.
  public static func == (one: SCNetworkReachability, other: SCNetworkReachability) -> Bool {
    one === other
  }

  /// Adds the target's identity to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
