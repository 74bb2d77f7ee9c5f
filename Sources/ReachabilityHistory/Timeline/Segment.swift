/// A time in which a lane had one value, in microseconds since 1970; between segments nothing was monitored.
struct Segment: Equatable {
  var start: Int
  var end: Int
  /// The index in the table of observations.
  var value: Int32
}

extension [Segment] {
  /// Puts later segments, in order, over these; where both exist, the later ones count.
  mutating func overlay(_ later: [Segment]) {
    guard let first = later.first else { return }
    let begin = position(endingAfter: first.start)
    let covered = Array(self[begin...])
    removeSubrange(begin...)
    var rest = later[...]
    for var segment in covered {
      while segment.start < segment.end {
        while let end = rest.first?.end, end <= segment.start { append(rest.removeFirst()) }
        guard let next = rest.first, next.start < segment.end else {
          append(segment)
          break
        }
        if segment.start < next.start {
          append(Segment(start: segment.start, end: next.start, value: segment.value))
        }
        segment.start = next.end
      }
    }
    self += rest
  }

  /// The position of the first segment that ends after a moment.
  func position(endingAfter moment: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].end > moment { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
