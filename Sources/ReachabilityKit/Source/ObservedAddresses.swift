/// The addresses whose routes decide what is observed, for sources that can leave out all other routes.
package struct ObservedAddresses: Sendable {
  /// The number of the addresses, each counted once for every target that has it.
  var count = 0
  /// Whether one was removed since the last wait.
  var hasRemovals = false
  /// The number of routes announced since the last wait that contain none of them.
  var unrelatedRoutes = 0
  /// Returns all addresses, each at least once, which takes time in proportion to their number.
  var list: @Sendable () -> [IPAddress] = { [] }

  package static var none: ObservedAddresses { ObservedAddresses() }
}
