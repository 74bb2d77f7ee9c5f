// SPDX-License-Identifier: Apache-2.0
/// Mutations of netlink messages that keep most of a message valid, so that hostile input passes the first checks.
enum NetlinkMutation {
  /// Returns the messages after one or more changes.
  static func mutated(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    repeat { change(&bytes, using: &generator) } while generator.chance(3)
    return bytes
  }

  private static func change(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
    let message = generator.pick(repairedMessages(in: &bytes))
    let start = message.lowerBound
    switch Int.random(in: 0..<16, using: &generator) {
    case 0: bytes.insert(contentsOf: bytes[message], at: start)
    case 1: bytes.removeSubrange(message)
    case 2:
      let moved = Array(bytes[message])
      bytes.removeSubrange(message)
      bytes.insert(contentsOf: moved, at: 0)
    case 3: bytes.put(generator.pick(types), 2, at: start + 4)
    case 4: bytes[start + generator.pick([6, 7])] ^= 1 << generator.pick([0, 1, 2, 4])
    case 5: bytes.put(generator.pick([0, 1]), 4, at: start + 8)
    case 6: bytes.put(message.count + generator.pick(lengthErrors), 4, at: start)
    default:
      let type = bytes.number(2, at: start + 4)
      let payload = start + 16..<message.upperBound
      let size = min(headerSize(of: type) ?? generator.pick([0, 4, 8, 12, 16, 20]), payload.count)
      if size > 0, generator.chance(6) {
        bytes[payload.lowerBound + Int.random(in: 0..<size, using: &generator)] = generator.pick(self.bytes)
      } else {
        let old = payload.lowerBound + size..<payload.upperBound
        let new = changed(bytes[old], depth: 0, using: &generator)
        bytes.replaceSubrange(old, with: new)
        bytes.put(message.count - old.count + new.count, 4, at: start)
      }
    }
  }

  /// Returns attributes after a change of one of them, or of a nested one.
  private static func changed(
    _ bytes: ArraySlice<UInt8>, depth: Int, using generator: inout SeededGenerator
  ) -> [UInt8] {
    let (list, rest) = attributes(in: bytes)
    guard !list.isEmpty else { return Attribute.random(using: &generator).encoded + bytes }
    let range = generator.pick(list)
    var attribute = Attribute(bytes[range])
    var result = Array(bytes)
    // Converts an index of the slice to one of the result.
    func place(_ index: Int) -> Int { index - bytes.startIndex }
    let own = place(range.lowerBound)..<place(range.upperBound)
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: result.insert(contentsOf: Attribute.random(using: &generator).encoded, at: own.lowerBound)
    case 1: result.insert(contentsOf: bytes[range], at: place(generator.pick(list).lowerBound))
    case 2: result.removeSubrange(own)
    case 3: result.put(Attribute.randomType(using: &generator), 2, at: own.lowerBound + 2)
    case 4: result.put(attribute.value.count + 4 + generator.pick(lengthErrors), 2, at: own.lowerBound)
    case 5:
      attribute.value = Attribute.randomValue(using: &generator)
      result.replaceSubrange(own, with: attribute.encoded)
    case 6:
      let outer = Attribute(type: Attribute.randomType(using: &generator), value: attribute.encoded)
      result.replaceSubrange(own, with: outer.encoded)
    case 7:
      for _ in 0..<generator.pick([2, 2, 2, 16, 16, 256]) { result += bytes[range] }
    case 8:
      result.removeSubrange(place(rest)...)
      result += generator.pick([[], [0], [4, 0], [4, 0, 1], [0xff, 0xff, 1, 0]])
    case 9 where !attribute.value.isEmpty:
      let index = Int.random(in: 0..<attribute.value.count, using: &generator)
      result[own.lowerBound + 4 + index] = generator.pick(self.bytes)
    // A next hop of a route has eight bytes before its attributes.
    default:
      guard depth < 3, attribute.value.count >= 4 else { break }
      let value = attribute.value
      let start = generator.chance(4) ? min(8, value.count) : 0
      attribute.value = value[..<start] + changed(value[start...], depth: depth + 1, using: &generator)
      result.replaceSubrange(own, with: attribute.encoded)
    }
    return result
  }

  private static let lengthErrors = [-4, -3, -1, 1, 2, 4, 8, 65535]
  private static let bytes: [UInt8] = [0, 1, 2, 4, 7, 8, 10, 16, 32, 33, 64, 127, 128, 129, 254, 255]
  /// The types that ``RouteEvent`` decodes, those of control messages, and one of generic netlink.
  private static let types = [1, 2, 3, 4, 16, 17, 20, 21, 24, 25, 32, 33, 34, 80, 81, 104, 105]

  private static func headerSize(of type: Int) -> Int? {
    switch type {
    case 2: 20
    case 3: 4
    // Generic netlink shares these types; its size would be 4.
    case 16, 17: 16
    case 20, 21, 104, 105: 8
    case 24, 25, 32, 33: 12
    default: nil
    }
  }

  /// Corrects the lengths of the messages, turns the rest into a message, and returns the ranges including padding.
  private static func repairedMessages(in bytes: inout [UInt8]) -> [Range<Int>] {
    if bytes.count < 16 {
      var header = [UInt8](repeating: 0, count: 16)
      header.put(24, 2, at: 4)
      bytes.insert(contentsOf: header, at: 0)
    }
    var messages: [Range<Int>] = []
    var start = 0
    while bytes.count - start >= 16 {
      let length = bytes.number(4, at: start)
      let isValid = (16...bytes.count - start).contains(length)
      let end = isValid ? min(start + (length + 3) & ~3, bytes.count) : bytes.count
      if !isValid { bytes.put(end - start, 4, at: start) }
      messages.append(start..<end)
      start = end
    }
    return messages
  }

  /// Returns the ranges of the attributes, including padding, and the start of the rest.
  private static func attributes(in bytes: ArraySlice<UInt8>) -> (list: [Range<Int>], rest: Int) {
    var list: [Range<Int>] = []
    var start = bytes.startIndex
    while bytes.endIndex - start >= 4 {
      let length = bytes.number(2, at: start)
      guard (4...bytes.endIndex - start).contains(length) else { break }
      let end = min(start + (length + 3) & ~3, bytes.endIndex)
      list.append(start..<end)
      start = end
    }
    return (list, start)
  }
}

private struct Attribute {
  var type: Int
  var value: [UInt8]

  init(type: Int, value: [UInt8]) {
    self.type = type
    self.value = value
  }

  /// Decodes an attribute with a valid length.
  init(_ bytes: ArraySlice<UInt8>) {
    let start = bytes.startIndex
    type = bytes.number(2, at: start + 2)
    value = Array(bytes[start + 4..<start + bytes.number(2, at: start)])
  }

  /// The attribute with its padding.
  var encoded: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4)
    bytes.reserveCapacity(value.count + 7)
    bytes.put(4 + value.count, 2, at: 0)
    bytes.put(type, 2, at: 2)
    bytes += value
    while bytes.count & 3 != 0 { bytes.append(0) }
    return bytes
  }

  static func random(using generator: inout SeededGenerator) -> Self {
    Self(type: randomType(using: &generator), value: randomValue(using: &generator))
  }

  /// Returns mostly a known type, sometimes with the flags for nesting and byte order.
  static func randomType(using generator: inout SeededGenerator) -> Int {
    Int.random(in: 0...64, using: &generator) | (generator.chance(8) ? generator.pick([0x4000, 0x8000]) : 0)
  }

  /// Returns bytes of a number, an address, a structure or a text, sometimes one too few or too many.
  static func randomValue(using generator: inout SeededGenerator) -> [UInt8] {
    if generator.chance(8) { return generator.pick(texts) }
    let fill: UInt8 = generator.pick(fills)
    return (0..<generator.pick(sizes)).map { _ in
      generator.chance(4) ? UInt8(truncatingIfNeeded: generator.next()) : fill
    }
  }

  private static let texts = ["bond\0", "vxlan\0", "eth0\0", "nl80211\0", "\0"].map { Array($0.utf8) }
  private static let sizes = [0, 1, 1, 2, 3, 4, 4, 4, 5, 6, 8, 12, 16, 16, 17, 18, 20, 31, 32, 33, 255]
  private static let fills: [UInt8] = [0, 1, 0x7f, 0x80, 0xff]
}

extension RandomAccessCollection<UInt8> where Index == Int {
  /// Returns a little-endian number of `count` bytes.
  fileprivate func number(_ count: Int, at start: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(self[start + $1]) << (8 * $1) }
  }
}

extension [UInt8] {
  /// Writes a little-endian number of `count` bytes.
  fileprivate mutating func put(_ number: Int, _ count: Int, at start: Int) {
    for index in 0..<count { self[start + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
  }
}
