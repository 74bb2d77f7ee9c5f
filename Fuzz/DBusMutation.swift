// SPDX-License-Identifier: Apache-2.0
/// Mutations that turn any bytes into a message from a bus.
enum DBusMutation {
  /// Repairs the length fields, optionally after adding another field.
  static func repair(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
    guard bytes.count >= 16 else { return }
    if generator.chance(4) { bytes[0] = generator.pick([UInt8(ascii: "l"), UInt8(ascii: "B")]) }
    if generator.chance(4) { bytes[3] = 1 }
    let isBigEndian = bytes[0] == UInt8(ascii: "B")
    let stated = bytes[12..<16].reduce(0) { $0 << 8 | Int($1) }
    var fields = isBigEndian ? stated : Int(UInt32(truncatingIfNeeded: stated).byteSwapped)
    fields = min(fields, (bytes.count - 16) & ~7)
    if generator.chance(3) {
      let padding = [UInt8](repeating: 0, count: -fields & 7)
      let field: [UInt8] = [
        generator.pick([1, 3, 4, 5, 7, 8, 9]), 1, generator.pick(Array("ybnqiuxtdsogvh".utf8)), 0,
      ]
      let number: [UInt8] = isBigEndian ? [0, 0, 0, 1] : [1, 0, 0, 0]
      let value = generator.pick([number + [0x73, 0], [1, 0x73, 0], number, number + number, []])
      bytes.insert(contentsOf: padding + field + value, at: 16 + fields)
      fields += padding.count + field.count + value.count
      while (bytes.count & 7) != 0 { bytes.append(0) }
    }
    let body = max(bytes.count - 16 - (fields + 7) & ~7, 0)
    for (place, value) in [(4, body), (12, fields)] {
      for index in 0..<4 {
        bytes[place + (isBigEndian ? 3 - index : index)] = UInt8(truncatingIfNeeded: value >> (8 * index))
      }
    }
  }
}
