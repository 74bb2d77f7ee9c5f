import DeadlineSupport
import InternetProtocol
import POSIX
import Testing

@testable import ReachabilityKit

/// Deliveries of the path, and the times of its queries.
@Suite(.deadline) struct PathBoardTests {
  private typealias Board = PathBoard<Watcher>

  private let start = Moment.now
  private let far = NetworkChange(prefixes: [IPPrefix(literal: "10.9.0.0/16")])

  private func at(_ milliseconds: Int) -> Moment {
    start.advanced(by: .milliseconds(milliseconds))
  }

  /// A board with one observer, without requirements, that has received the path.
  private func board(_ evaluation: PathEvaluation = .number(1)) -> Board {
    var board = Board()
    board.add(Watcher("a"), for: .none)
    _ = board.needsEvaluation(after: NetworkChange(), now: at(0))
    _ = board.accept(evaluation, now: at(0))
    return board
  }

  /// The deliveries, as `a: mtu`.
  private func told(_ deliveries: [Board.Delivery]) -> [String] {
    deliveries.flatMap { delivery in
      delivery.observers.map { "\($0.name): \(delivery.path.interfaces.first?.mtu ?? 0)" }
    }
    .sorted()
  }

  @Test func `without observers there is no query and no deadline`() {
    var board = Board()
    #expect(board.isEmpty)
    let isAsking = board.needsEvaluation(after: .all, now: at(0))
    #expect(!isAsking)
    #expect(board.nextDeadline == nil)
  }

  @Test func `every observer receives a path from a query after it joined`() {
    var board = Board()
    board.add(Watcher("a"), for: .none)
    var asked = [board.needsEvaluation(after: NetworkChange(), now: at(0))]
    // Too late for the pending query.
    board.add(Watcher("b"), for: .none)
    #expect(told(board.accept(.number(1), now: at(0))) == ["a: 1"])
    for _ in 0..<2 { asked.append(board.needsEvaluation(after: NetworkChange(), now: at(0))) }
    #expect(asked == [true, true, false])
    #expect(told(board.accept(.number(1), now: at(0))) == ["b: 1"])
    board.add(Watcher("c"), for: .none)
    _ = board.needsEvaluation(after: NetworkChange(), now: at(0))
    #expect(told(board.accept(.number(2), now: at(0))) == ["a: 2", "b: 2", "c: 2"])
  }

  @Test func `an observer with requirements receives the path that meets them`() {
    var board = board()
    board.add(Watcher("b"), for: .requiring(.wifi))
    let isAsking = board.needsEvaluation(after: NetworkChange(), now: at(0))
    #expect(isAsking)
    let deliveries = board.accept(.number(1), now: at(0))
    #expect(deliveries.map(\.path.reason) == [.interfaceNotFound])
    #expect(told(deliveries) == ["b: 0"])
  }

  @Test func `an observer that left before the answer receives no path`() {
    var board = board()
    let watcher = Watcher("b")
    board.add(watcher, for: .none)
    _ = board.needsEvaluation(after: NetworkChange(), now: at(0))
    board.remove(watcher)
    #expect(told(board.accept(.number(2), now: at(0))) == ["a: 2"])
  }

  @Test func `an observer receives a path only if it is new under its requirements`() {
    var board = board()
    board.add(Watcher("b"), for: .requiring(.wired))
    board.add(Watcher("c"), for: .requiring(.wifi))
    _ = board.needsEvaluation(after: NetworkChange(), now: at(0))
    #expect(told(board.accept(.number(1), now: at(0))) == ["b: 1", "c: 0"])
    #expect(told(board.accept(.number(1), now: at(0))) == [])
    #expect(told(board.accept(.number(2), now: at(0))) == ["a: 2", "b: 2"])
    #expect(told(board.accept(.number(2), now: at(0))) == [])
  }

  @Test(
    arguments: [
      (NetworkChange.all, true), (NetworkChange(linkDetails: true), true), (NetworkChange(), false),
      (NetworkChange(prefixes: [IPPrefix(literal: "10.9.0.0/16")]), false),
      (NetworkChange(prefixes: [IPPrefix(literal: "10.9.0.0/16"), IPPrefix(literal: "0.0.0.0/0")]), true),
      (NetworkChange(prefixes: [IPPrefix(literal: "0.0.0.0/1")]), true),
      (NetworkChange(prefixes: [IPPrefix(literal: "2000::/3")]), true),
      (NetworkChange(prefixes: [IPPrefix(literal: "fd00::/8")]), false),
      (NetworkChange(imminent: [IPPrefix(literal: "::/0")]), true),
      (NetworkChange(imminent: [IPPrefix(literal: "fd00::/8")]), false),
      (NetworkChange(prefixes: [IPPrefix(literal: "10.66.0.53/32")]), true),
    ])
  func `only changes of the default route or of a name server's route lead to a query`(
    change: NetworkChange, isOccasion: Bool
  ) {
    var path = ReachabilityPath.number(1)
    path.nameServers = [.init("10.66.0.53")]
    var board = board(PathEvaluation(path))
    let isAsking = board.needsEvaluation(after: change, now: at(1000))
    #expect(isAsking == isOccasion)
  }

  @Test func `an announced change is queried twice more`() {
    var board = board()
    let change = NetworkChange(imminent: [IPPrefix(literal: "::/0")])
    let isAsking = board.needsEvaluation(after: change, now: at(1000))
    #expect(isAsking)
    #expect(board.nextDeadline == at(1002))
    var asked: [Bool] = []
    for moment in [1001, 1002, 1003, 1100, 1200] {
      asked.append(board.needsEvaluation(after: NetworkChange(), now: at(moment)))
    }
    #expect(asked == [false, true, false, true, false])
    #expect(board.nextDeadline == nil)
  }

  @Test func `the path is evaluated twice after missed announcements, but not immediately`() {
    var board = board()
    let missed = NetworkChange(missed: [IPPrefix(literal: "::/0")])
    var asked = [board.needsEvaluation(after: missed, now: at(1000))]
    for moment in [1002, 1100] {
      asked.append(board.needsEvaluation(after: NetworkChange(), now: at(moment)))
    }
    #expect(asked == [false, true, true])
    #expect(board.nextDeadline == nil)
  }

  @Test func `the end of a lifetime leads to a query`() {
    var evaluation = PathEvaluation.number(1)
    evaluation.lifetime = .seconds(5)
    var board = board(evaluation)
    #expect(board.nextDeadline == at(5000))
    var asked: [Bool] = []
    for moment in [4900, 5000, 5000] { asked.append(board.needsEvaluation(after: far, now: at(moment))) }
    #expect(asked == [false, true, false])
    _ = board.accept(.number(1), now: at(5000))
    // The kernel reports no lifetime for its last hundredth of a second.
    #expect(board.nextDeadline == at(5002))
    for moment in [5001, 5002, 5100, 6000] {
      asked.append(board.needsEvaluation(after: far, now: at(moment)))
    }
    #expect(asked.suffix(4) == [false, true, true, false])
    _ = board.accept(.number(1), now: at(6000))
    #expect(board.nextDeadline == nil)
  }

  @Test(arguments: [NetworkChange(linkDetails: true), NetworkChange(names: true)])
  func `a change of details that only a path has leads to a query`(_ change: NetworkChange) {
    var board = board()
    let isAsking = board.needsEvaluation(after: change, now: at(1000))
    #expect(isAsking)
  }

  @Test func `removing the last observer discards the path`() {
    var evaluation = PathEvaluation.number(1)
    evaluation.lifetime = .seconds(5)
    var board = Board()
    let (one, other) = (Watcher("a"), Watcher("b"))
    board.add(one, for: .none)
    board.add(other, for: .none)
    _ = board.needsEvaluation(after: NetworkChange(), now: at(0))
    _ = board.accept(evaluation, now: at(0))
    for _ in 0..<2 { board.remove(one) }
    #expect(!board.isEmpty)
    #expect(told(board.accept(.number(2), now: at(0))) == ["b: 2"])
    board.remove(other)
    #expect(board.isEmpty)
    #expect(board.nextDeadline == nil)
    board.add(Watcher("c"), for: .none)
    #expect(board.addresses == [])
  }
}
