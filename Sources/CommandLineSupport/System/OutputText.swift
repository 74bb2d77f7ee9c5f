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
    let isDone: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { piece in
      reserve(piece.count)
      if let start = piece.baseAddress { unsafe (memory + count).update(from: start, count: piece.count) }
      count += piece.count
    }
    guard isDone == nil else { return }
    var text = text
    text.makeContiguousUTF8()
    append(text)
  }

  /// Appends text from outside, with characters escaped that could control a terminal.
  package mutating func append(escaping text: String) {
    let start = count
    append(text)
    for index in start..<count where unsafe !memory[index].isPrintableASCII {
      count = start
      return append(text.escapedForTerminal)
    }
  }

  /// Appends a number, with zeros in front up to a number of digits, and a character of ASCII.
  package mutating func append(_ number: UInt32, digits: Int = 1, then separator: Unicode.Scalar? = nil) {
    reserve(digits &+ 1)
    var (place, rest) = (count &+ digits, number)
    while place > count {
      place &-= 1
      unsafe memory[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    // Mostly the number has no more digits than these.
    if rest > 0 { return append(number, digits: digits &+ 1, then: separator) }
    count &+= digits
    if let separator { appendInRoom(UInt8(truncatingIfNeeded: separator.value)) }
  }

  /// Appends an address as it describes itself.
  package mutating func append(_ address: ReachabilityAddress) {
    guard case .v4(let v4) = address else { return append(address.description) }
    reserve(16)
    for shift in stride(from: 24, through: 0, by: -8) as StrideThrough<Int> {
      let octet = UInt8(truncatingIfNeeded: v4.rawValue >> shift)
      if octet >= 100 { appendInRoom(UInt8(ascii: "0") + octet / 100) }
      if octet >= 10 { appendInRoom(UInt8(ascii: "0") + octet / 10 % 10) }
      appendInRoom(UInt8(ascii: "0") + octet % 10)
      appendInRoom(UInt8(ascii: "."))
    }
    count &-= 1
  }

  /// Makes room for so many bytes.
  private mutating func reserve(_ more: Int) { if count + more > capacity { grow(by: more) } }

  @inline(__always)
  private mutating func appendInRoom(_ byte: UInt8) {
    unsafe memory[count] = byte
    count &+= 1
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
