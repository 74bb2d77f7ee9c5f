#if os(Linux)
import Synchronization

/// Tells the engine's thread that more is known of what costs money.
final class MeteringNews: Sendable {
  private let isWaiting = Mutex(false)
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
  }

  func announce() {
    isWaiting.withLock { $0 = true }
    wake()
  }

  /// Returns whether something was announced since the last call.
  func take() -> Bool {
    isWaiting.withLock { isWaiting in
      defer { isWaiting = false }
      return isWaiting
    }
  }
}

/// What was found out of metering at one moment, for a path that is worked out at that moment.
///
/// Asked first without knowing anything, it notes what matters.
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

  /// Asks somebody about all that was asked here.
  func asked(of source: any MeteringSource) -> [Int: Bool] {
    let indexes = questions.withLock { $0 }
    return indexes.isEmpty ? [:] : source.findOut(interfaceIndexes: indexes)
  }
}

extension NetworkManagerMetering: MeteringSource {}
#endif
