#if os(Linux)
/// A program that the kernel runs on each datagram before it queues it: classic BPF, `SO_ATTACH_FILTER`.
package struct SocketFilter: Hashable, Sendable {
  /// One step, the kernel's `sock_filter`.
  package struct Instruction: Hashable, Sendable {
    package let code: UInt16
    package let stepsIfTrue: UInt8
    package let stepsIfFalse: UInt8
    package let operand: UInt32

    init(_ code: UInt16, _ operand: UInt32 = 0, stepsIfTrue: UInt8 = 0, stepsIfFalse: UInt8 = 0) {
      self.code = code
      self.operand = operand
      self.stepsIfTrue = stepsIfTrue
      self.stepsIfFalse = stepsIfFalse
    }
  }

  package let instructions: [Instruction]

  /// How many instructions the kernel takes at most, `BPF_MAXINSNS`.
  package static var limit: Int { 4096 }
}

extension SocketFilter.Instruction {
  // BPF_LD with BPF_ABS, whole, half and single bytes; numbers are read in network order.
  static func loadWord(at offset: UInt32) -> Self { Self(0x20, offset) }
  static func loadHalf(at offset: UInt32) -> Self { Self(0x28, offset) }
  static func loadByte(at offset: UInt32) -> Self { Self(0x30, offset) }
  /// Loads a word that lies so many bytes behind where X points, BPF_IND.
  static func loadWord(behindX offset: UInt32) -> Self { Self(0x40, offset) }
  /// Loads a number, BPF_IMM.
  static func load(_ number: UInt32) -> Self { Self(0x00, number) }
  static func loadX(_ number: UInt32) -> Self { Self(0x01, number) }
  /// Loads the datagram's length, BPF_LEN.
  static var loadLength: Self { Self(0x80) }
  /// Loads from one of the 16 places of memory, BPF_MEM, or stores there.
  static func load(from place: UInt32) -> Self { Self(0x60, place) }
  static func loadX(from place: UInt32) -> Self { Self(0x61, place) }
  static func store(in place: UInt32) -> Self { Self(0x02, place) }
  /// Copies one register to the other, BPF_MISC.
  static var copyToX: Self { Self(0x07) }
  static var copyFromX: Self { Self(0x87) }
  /// Finds the attribute whose type is X, from the offset A on, and loads where it begins, or zero.
  ///
  /// SKF_AD_OFF and SKF_AD_NLATTR.
  static var findAttribute: Self { .loadWord(at: UInt32(bitPattern: -0x1000) + 12) }
  // BPF_ALU.
  static func subtract(_ number: UInt32) -> Self { Self(0x14, number) }
  static func shiftLeft(_ count: UInt32) -> Self { Self(0x64, count) }
  static var shiftRightByX: Self { Self(0x7c) }
  static var formUnionWithX: Self { Self(0x4c) }
  // BPF_JMP with a number, or with X: how many instructions are skipped if it holds, and if not.
  static func ifEqual(to number: UInt32, skip: UInt8, else other: UInt8) -> Self {
    Self(0x15, number, stepsIfTrue: skip, stepsIfFalse: other)
  }
  static func ifMore(than number: UInt32, skip: UInt8, else other: UInt8) -> Self {
    Self(0x25, number, stepsIfTrue: skip, stepsIfFalse: other)
  }
  static func ifNotLess(than number: UInt32, skip: UInt8, else other: UInt8) -> Self {
    Self(0x35, number, stepsIfTrue: skip, stepsIfFalse: other)
  }
  static func ifEqualToX(skip: UInt8, else other: UInt8) -> Self {
    Self(0x1d, stepsIfTrue: skip, stepsIfFalse: other)
  }
  /// Passes the whole datagram, or nothing of it, BPF_RET.
  static var pass: Self { Self(0x06, .max) }
  static var drop: Self { Self(0x06, 0) }
  /// Skips so many instructions, BPF_JA.
  static func skip(_ count: Int) -> Self { Self(0x05, UInt32(count)) }
}
#endif
