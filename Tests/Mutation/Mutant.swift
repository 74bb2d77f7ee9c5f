// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The faults of this module, one of which the environment enables when the process starts.
enum Mutant {
  private static let enabled = unsafe getenv("MUTANT").flatMap { unsafe Int(String(cString: $0)) }

  /// A file of one byte for each fault, which this process and those that it starts set when they reach the fault's place.
  private nonisolated(unsafe) static let reached: UnsafeMutablePointer<UInt8>? = {
    guard let path = unsafe getenv("MUTANTS_REACHED") else { return nil }
    let file = unsafe open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let size = Int(lseek(file, 0, SEEK_END))
    let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    return unsafe memory == MAP_FAILED ? nil : memory?.assumingMemoryBound(to: UInt8.self)
  }()

  static func `is`(_ number: Int) -> Bool {
    if let reached = unsafe reached { unsafe reached[number] = 1 }
    return enabled == number
  }

  static func not(_ number: Int, _ value: Bool) -> Bool { Self.is(number) ? !value : value }

  static func assume(_ assumed: Bool, _ number: Int, _ value: Bool) -> Bool {
    Self.is(number) ? assumed : value
  }

  static func none<Value>(_ number: Int, _ value: Value?) -> Value? { Self.is(number) ? nil : value }

  static func replace<Value>(_ number: Int, _ empty: Value, _ value: Value) -> Value {
    Self.is(number) ? empty : value
  }

  static func increase<Number: AdditiveArithmetic & ExpressibleByIntegerLiteral>(
    _ number: Int, _ value: Number
  ) -> Number {
    Self.is(number) ? value + 1 : value
  }
}
