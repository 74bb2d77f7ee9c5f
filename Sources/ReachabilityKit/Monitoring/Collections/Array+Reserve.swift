extension Array {
  /// Reserves capacity for one more element, in smaller steps than an array does by itself, which leaves up to half unused.
  mutating func reserveOneMore() {
    if count == capacity { reserveCapacity(count + Swift.max(8, count / 4)) }
  }
}
