// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
/// A program that decides which datagrams the kernel queues: classic BPF, `SO_ATTACH_FILTER`.
package struct SocketFilter: Equatable, Sendable {
  /// One instruction; the kernel structure is `sock_filter`.
  package struct Instruction: Equatable, Sendable {
    let code: UInt16
    let stepsIfTrue: UInt8
    let stepsIfFalse: UInt8
    let operand: UInt32

    init(_ code: UInt16, _ operand: UInt32 = 0, stepsIfTrue: UInt8 = 0, stepsIfFalse: UInt8 = 0) {
      self.code = code
      self.operand = operand
      self.stepsIfTrue = stepsIfTrue
      self.stepsIfFalse = stepsIfFalse
    }
  }

  package let instructions: [Instruction]

  package init(instructions: [Instruction]) {
    self.instructions = instructions
  }

  /// The kernel's limit on the number of instructions, `BPF_MAXINSNS`.
  static var limit: Int { 4096 }
}

extension SocketFilter.Instruction {
  // BPF_LD with BPF_ABS: loads a word, a half word or a byte in network order.
  package static func loadWord(at offset: UInt32) -> Self { Self(0x20, offset) }
  static func loadHalf(at offset: UInt32) -> Self { Self(0x28, offset) }
  static func loadByte(at offset: UInt32) -> Self { Self(0x30, offset) }
  /// Loads a word at an offset from X, BPF_IND.
  static func loadWord(behindX offset: UInt32) -> Self { Self(0x40, offset) }
  /// Loads a number, BPF_IMM.
  static func load(_ number: UInt32) -> Self { Self(0x00, number) }
  static func loadX(_ number: UInt32) -> Self { Self(0x01, number) }
  /// Loads the datagram's length, BPF_LEN.
  static var loadLength: Self { Self(0x80) }
  // BPF_MEM: loads from one of the 16 words of memory, or stores there.
  static func load(from place: UInt32) -> Self { Self(0x60, place) }
  static func loadX(from place: UInt32) -> Self { Self(0x61, place) }
  static func store(in place: UInt32) -> Self { Self(0x02, place) }
  // BPF_MISC: copies one register to the other.
  static var copyToX: Self { Self(0x07) }
  static var copyFromX: Self { Self(0x87) }
  /// Searches from offset A for the attribute of type X and loads its offset, or zero if there is none.
  ///
  /// The kernel constants are SKF_AD_OFF and SKF_AD_NLATTR.
  static var findAttribute: Self { .loadWord(at: UInt32(bitPattern: -0x1000) + 12) }
  /// Loads the type of the interface that the packet arrived by.
  ///
  /// The kernel constants are SKF_AD_OFF and SKF_AD_HATYPE.
  static var loadHardwareType: Self { .loadWord(at: UInt32(bitPattern: -0x1000) + 28) }
  // BPF_ALU.
  package static func and(_ bits: UInt32) -> Self { Self(0x54, bits) }
  static func subtract(_ number: UInt32) -> Self { Self(0x14, number) }
  static func shiftLeft(_ count: UInt32) -> Self { Self(0x64, count) }
  static var shiftRightByX: Self { Self(0x7c) }
  static var formUnionWithX: Self { Self(0x4c) }
  // BPF_JMP compares A with a number or with X. `skip` is the number of instructions to skip if the comparison holds,
  // `other` the number if it fails.
  package static func ifEqual(to number: UInt32, skip: UInt8, else other: UInt8) -> Self {
    Self(0x15, number, stepsIfTrue: skip, stepsIfFalse: other)
  }
  static func ifMore(than number: UInt32, skip: UInt8, else other: UInt8) -> Self {
    Self(0x25, number, stepsIfTrue: skip, stepsIfFalse: other)
  }
  package static func ifNotLess(than number: UInt32, skip: UInt8, else other: UInt8) -> Self {
    Self(0x35, number, stepsIfTrue: skip, stepsIfFalse: other)
  }
  static func ifEqualToX(skip: UInt8, else other: UInt8) -> Self {
    Self(0x1d, stepsIfTrue: skip, stepsIfFalse: other)
  }
  /// Compares some bits of A with zero, BPF_JSET.
  package static func ifAny(of bits: UInt32, skip: UInt8, else other: UInt8) -> Self {
    Self(0x45, bits, stepsIfTrue: skip, stepsIfFalse: other)
  }
  // BPF_RET: accepts the whole datagram, or drops it; for another kind of filter the number says what to do.
  package static func end(with number: UInt32) -> Self { Self(0x06, number) }
  static var pass: Self { Self(0x06, .max) }
  static var drop: Self { Self(0x06, 0) }
  /// Skips a number of instructions, BPF_JA.
  static func skip(_ count: Int) -> Self { Self(0x05, UInt32(count)) }
}

extension SocketFilter {
  /// A filter that drops packets which arrived by the loopback interface: those that this machine sent to itself.
  package static var withoutLoopback: SocketFilter {
    // ARPHRD_LOOPBACK.
    SocketFilter(instructions: [.loadHardwareType, .ifEqual(to: 772, skip: 0, else: 1), .drop, .pass])
  }
}
#endif
