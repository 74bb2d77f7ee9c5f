/// Somebody who may know whether traffic over an interface costs money or is limited.
///
/// Safe to use from any thread.
package protocol MeteringSource: Sendable {
  /// Whether the interface is metered, or `nil` if nobody knows, or nobody has said so yet; from memory, at once.
  func isMetered(interfaceIndex: Int) -> Bool?

  /// Whether the interface is metered, or `nil` if nobody knows; waits a moment for whoever has to be asked.
  func findOut(interfaceIndex: Int) -> Bool?

  /// Has what is known asked for anew, since the network is another one.
  func networkDidChange()
}

extension MeteringSource {
  package func findOut(interfaceIndex: Int) -> Bool? { isMetered(interfaceIndex: interfaceIndex) }

  package func networkDidChange() {}
}
