/// Somebody who may know whether traffic over an interface costs money or is limited.
///
/// Safe to use from any thread.
package protocol MeteringSource: Sendable {
  /// Whether the interface is metered, or `nil` if nobody knows, or nobody has said so yet; from memory, at once.
  func isMetered(interfaceIndex: Int) -> Bool?

  /// Whether interfaces are metered, without those of which nobody knows; waits a moment for whoever has to be asked.
  func findOut(interfaceIndexes: Set<Int>) -> [Int: Bool]

  /// Has what is known asked for anew, since the network is another one.
  func networkDidChange()
}

extension MeteringSource {
  package func findOut(interfaceIndexes: Set<Int>) -> [Int: Bool] {
    var answers: [Int: Bool] = [:]
    for index in interfaceIndexes { answers[index] = isMetered(interfaceIndex: index) }
    return answers
  }

  package func networkDidChange() {}
}
