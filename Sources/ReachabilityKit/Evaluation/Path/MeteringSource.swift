/// A source of metered-connection information.
///
/// Safe to use from any thread.
package protocol MeteringSource: Sendable {
  /// Returns whether the interface is metered, from memory and without waiting; `nil` if that is not known yet.
  func isMetered(interfaceIndex: Int) -> Bool?

  /// Returns whether interfaces are metered, without those that are not known; may wait briefly for a service.
  func findOut(interfaceIndexes: Set<Int>) -> [Int: Bool]

  /// Requests the information again, since the network changed.
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
