// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
@testable import Netlink

extension SocketFilter {
  /// Runs the filter on a datagram, as the kernel does.
  ///
  /// - Returns: Whether the datagram passes; `nil` if the kernel would refuse the program.
  func passes(_ datagram: [UInt8]) -> Bool? {
    var (a, x) = (UInt32(0), UInt32(0))
    var memory = [UInt32?](repeating: nil, count: 16)
    var position = 0
    func bytes(_ offset: Int, _ count: Int) -> UInt32? {
      guard offset >= 0, offset + count <= datagram.count else { return nil }
      return datagram[offset..<offset + count].reduce(0) { $0 << 8 | UInt32($1) }
    }
    while position < instructions.count {
      let step = instructions[position]
      position += 1
      let k = step.operand
      switch step.code {
      case 0x20 where k == UInt32(bitPattern: -0x1000 + 12):
        a = UInt32(attribute(x, from: Int(a), in: datagram))
      // A load outside the datagram ends the program and drops the datagram.
      case 0x20:
        guard let number = bytes(Int(k), 4) else { return false }
        a = number
      case 0x28:
        guard let number = bytes(Int(k), 2) else { return false }
        a = number
      case 0x30:
        guard let number = bytes(Int(k), 1) else { return false }
        a = number
      case 0x40:
        guard let number = bytes(Int(x) + Int(k), 4) else { return false }
        a = number
      case 0x80: a = UInt32(datagram.count)
      case 0x00: a = k
      case 0x01: x = k
      case 0x60:
        guard let number = memory[Int(k)] else { return nil }
        a = number
      case 0x61:
        guard let number = memory[Int(k)] else { return nil }
        x = number
      case 0x02: memory[Int(k)] = a
      case 0x07: x = a
      case 0x87: a = x
      case 0x14: a &-= k
      case 0x64: a <<= k
      case 0x7c:
        guard x < 32 else { return nil }
        a >>= x
      case 0x4c: a |= x
      case 0x05: position += Int(k)
      case 0x15: position += Int(a == k ? step.stepsIfTrue : step.stepsIfFalse)
      case 0x25: position += Int(a > k ? step.stepsIfTrue : step.stepsIfFalse)
      case 0x35: position += Int(a >= k ? step.stepsIfTrue : step.stepsIfFalse)
      case 0x1d: position += Int(a == x ? step.stepsIfTrue : step.stepsIfFalse)
      case 0x06: return k != 0
      default: return nil
      }
    }
    return nil
  }

  private func attribute(_ type: UInt32, from start: Int, in datagram: [UInt8]) -> Int {
    var offset = start
    while offset + 4 <= datagram.count {
      let length = Int(datagram[offset]) | Int(datagram[offset + 1]) << 8
      guard length >= 4, offset + length <= datagram.count else { return 0 }
      if UInt32(datagram[offset + 2]) | UInt32(datagram[offset + 3]) << 8 == type { return offset }
      offset += length.alignedToNetlink
    }
    return 0
  }
}
#endif
