/// Somebody who may know whether traffic over an interface costs money or is limited.
///
/// Asked on any thread, and whenever a path is worked out: it answers from memory.
package protocol MeteringSource: Sendable {
  /// Whether the interface is metered, or `nil` if nobody knows.
  func isMetered(interfaceIndex: Int) -> Bool?
}
