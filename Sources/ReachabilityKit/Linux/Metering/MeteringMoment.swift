#if os(Linux)
import Synchronization

/// The metering information of one moment, for a path that is evaluated at that moment.
///
/// A first evaluation without any answers collects the interfaces that matter.
final class MeteringMoment: MeteringSource {
  private let answers: [Int: Bool]
  private let questions = Mutex<Set<Int>>([])

  init(_ answers: [Int: Bool] = [:]) {
    self.answers = answers
  }

  func isMetered(interfaceIndex: Int) -> Bool? {
    questions.withLock { _ = $0.insert(interfaceIndex) }
    return answers[interfaceIndex]
  }

  /// Queries a source for all interfaces that were collected here.
  func asked(of source: any MeteringSource) -> [Int: Bool] {
    let indexes = questions.withLock { $0 }
    return indexes.isEmpty ? [:] : source.findOut(interfaceIndexes: indexes)
  }
}
#endif
