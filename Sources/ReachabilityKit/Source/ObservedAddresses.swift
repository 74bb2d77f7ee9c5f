/// The addresses whose routes decide what is observed, for sources that can leave out all other routes.
package struct ObservedAddresses: Sendable {
  /// The number of the addresses, each counted once for every target that has it.
  package var count = 0
  /// Whether one was removed since the last wait.
  package var hasRemovals = false
  /// The number of routes announced since the last wait that contain none of them.
  package var unrelatedRoutes = 0
  /// Returns all addresses, each at least once, which takes time in proportion to their number.
  package var list: @Sendable () -> [IPAddress] = { [] }

  package static var none: ObservedAddresses { ObservedAddresses() }
}
