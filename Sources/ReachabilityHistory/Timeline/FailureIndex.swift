/// How many lanes failed at about a moment, without a search in each of them.
struct FailureIndex {
  /// What is about the same moment, in microseconds.
  private let vicinity: Int
  /// The moments from which, and until which, another lane has a failure in the vicinity.
  private let begins: [Int]
  private let ends: [Int]

  /// Takes the moments of the failures of each lane, in order.
  init(_ lanes: [[Int]], vicinity: Int) {
    self.vicinity = vicinity
    var (begins, ends): ([Int], [Int]) = ([], [])
    for failures in lanes {
      for (position, failure) in failures.enumerated() {
        let previous = position > 0 ? failures[position - 1] : nil
        if let previous, failure - previous <= 2 * vicinity {
          ends.removeLast()
        } else {
          begins.append(failure - vicinity)
        }
        ends.append(failure + vicinity)
      }
    }
    self.begins = begins.sorted()
    self.ends = ends.sorted()
  }

  /// The number of lanes with a failure near a moment.
  func count(near moment: Int) -> Int {
    begins.count(below: moment + 1) - ends.count(below: moment)
  }
}

extension [Int] {
  /// The number of values below another one, in an array in order.
  fileprivate func count(below value: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] >= value { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
