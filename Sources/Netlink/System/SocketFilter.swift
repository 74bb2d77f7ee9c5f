#if os(Linux)
/// A program that decides which datagrams the kernel queues: classic BPF, `SO_ATTACH_FILTER`.
package struct SocketFilter: Hashable, Sendable {
  /// One instruction; the kernel structure is `sock_filter`.
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

  /// The kernel's limit on the number of instructions, `BPF_MAXINSNS`.
  package static var limit: Int { 4096 }
}
#endif
