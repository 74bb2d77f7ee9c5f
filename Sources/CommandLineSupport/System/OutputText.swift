// SPDX-License-Identifier: Apache-2.0
import InternetProtocol

/// Text that is put together piece by piece, in memory of its own.
///
/// After a rest, a processor waits for the code that it runs, and a string takes much code to grow.
@safe package struct OutputText: ~Copyable {
  private var memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
  private var capacity = 256
  /// The number of bytes so far.
  package private(set) var count = 0

  /// Creates an empty text, with memory for a line.
  package init() {}

  deinit { unsafe memory.deallocate() }

  package var string: String { unsafe withBytes { unsafe String(decoding: $0, as: UTF8.self) } }

  /// Passes the bytes to a closure.
  @unsafe func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    unsafe body(UnsafeBufferPointer(start: memory, count: count))
  }

  package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { piece in
      if count + piece.count > capacity { grow(by: piece.count) }
      if let start = piece.baseAddress { unsafe (memory + count).update(from: start, count: piece.count) }
      count += piece.count
    }
  }

  /// Appends a number, with zeros in front up to a number of digits, and a character of ASCII.
  package mutating func append(_ number: UInt32, digits: Int = 1, then separator: Unicode.Scalar? = nil) {
    // From the last character on, behind the text, where there is room for the longest number twice.
    let room = 16
    if count + 3 * room > capacity { grow(by: 3 * room) }
    let end = count + 2 * room
    var (start, rest, missing) = (end, number, digits)
    if let separator {
      start -= 1
      unsafe memory[start] = UInt8(truncatingIfNeeded: separator.value)
    }
    repeat {
      start -= 1
      unsafe memory[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      missing -= 1
    } while rest > 0 || missing > 0
    unsafe (memory + count).update(from: memory + start, count: room)
    count += end - start
  }

  /// Appends an address as it describes itself.
  package mutating func append(_ address: ReachabilityAddress) {
    guard case .v4(let v4) = address else { return append(address.description) }
    append(v4.rawValue >> 24, then: ".")
    append(v4.rawValue >> 16 & 255, then: ".")
    append(v4.rawValue >> 8 & 255, then: ".")
    append(v4.rawValue & 255)
  }

  /// Removes what follows so many bytes.
  package mutating func truncate(to newCount: Int) { count = min(count, newCount) }

  /// Removes spaces at the end.
  package mutating func trimEnd() {
    while count > 0, unsafe memory[count - 1] == UInt8(ascii: " ") { count -= 1 }
  }

  @inline(never)
  private mutating func grow(by more: Int) {
    capacity = 2 * (count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    unsafe larger.update(from: memory, count: count)
    unsafe memory.deallocate()
    unsafe memory = larger
  }
}
