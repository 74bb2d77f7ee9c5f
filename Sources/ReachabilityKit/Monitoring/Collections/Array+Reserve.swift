extension Array {
  /// Appends an element, the first one without the code that makes an array grow.
  ///
  /// Most changes lead to one element. After a rest, a processor waits for the code that it runs.
  mutating func add(_ element: Element) {
    if isEmpty { self = [element] } else { append(element) }
  }

  /// Reserves capacity for one more element, in smaller steps than an array does by itself, which leaves up to half unused.
  mutating func reserveOneMore() {
    if count == capacity { reserveCapacity(count + Swift.max(8, count / 4)) }
  }
}
