// SPDX-License-Identifier: Apache-2.0
import Netlink

/// An object of the kernel's network as a message lists it: a fixed part and attributes, whose meaning stays the kernel's.
///
/// What is only copied is not decoded, so that nothing is lost that this version does not know.
struct KernelObject: Hashable, Sendable {
  struct Attribute: Hashable, Sendable {
    /// The type, without the flags for nesting and byte order.
    var type: UInt16
    /// The type with its flags, as the kernel wrote it.
    var typeAndFlags: UInt16
    var value: [UInt8]

    init(_ type: UInt16, _ value: [UInt8]) {
      (self.type, typeAndFlags, self.value) = (type, type, value)
    }

    /// The attributes inside this one; none if they cannot be read.
    var attributes: [Attribute] {
      (try? KernelObject.list(RawSpan(_elements: value.span), 0..<value.count)) ?? []
    }
  }

  /// The fixed part, for example `rtmsg`.
  var fixed: [UInt8]
  var attributes: [Attribute]

  /// - Parameter size: The size in bytes of the fixed part.
  init(decoding bytes: RawSpan, in range: Range<Int>, fixed size: Int) throws(DecodingError) {
    guard range.count >= size else { throw DecodingError(.truncated, at: range.lowerBound) }
    fixed = try bytes.bytes(in: range.lowerBound..<range.lowerBound + size)
    attributes = try Self.list(bytes, range.lowerBound + size..<range.upperBound)
  }

  init(fixed: [UInt8], _ attributes: [Attribute] = []) {
    (self.fixed, self.attributes) = (fixed, attributes)
  }

  fileprivate static func list(_ bytes: RawSpan, _ range: Range<Int>) throws(DecodingError) -> [Attribute] {
    var attributes: [Attribute] = []
    var reader = AttributeReader(in: range)
    while let next = try reader.next(bytes) {
      var attribute = Attribute(next.type, try bytes.bytes(in: next.value))
      attribute.typeAndFlags = try bytes.integer(at: next.value.lowerBound - 2, before: range.upperBound)
      attributes.append(attribute)
    }
    return attributes
  }

  /// The value of the first attribute of a type.
  subscript(_ type: UInt16) -> [UInt8]? {
    get { attributes.first { $0.type == type }?.value }
    set {
      let place = attributes.firstIndex { $0.type == type }
      guard let newValue else {
        attributes.removeAll { $0.type == type }
        return
      }
      if let place { attributes[place].value = newValue } else { attributes.append(.init(type, newValue)) }
    }
  }

  /// The attributes inside the first one of a type.
  func nested(_ type: UInt16) -> [Attribute] { attributes.first { $0.type == type }?.attributes ?? [] }

  /// An integer of the fixed part, in the machine's byte order.
  func integer<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type = Value.self, at offset: Int)
    -> Value
  {
    (try? RawSpan(_elements: fixed.span).integer(Value.self, at: offset, before: fixed.count)) ?? 0
  }

  mutating func set<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int) {
    for (place, byte) in value.bytes.enumerated() { fixed[offset + place] = byte }
  }

  /// An attribute's value as an integer; `nil` if there is none of that size.
  func number<Value: FixedWidthInteger & BitwiseCopyable>(_ type: UInt16, as _: Value.Type = Value.self)
    -> Value?
  {
    self[type].flatMap { value in
      try? RawSpan(_elements: value.span).integer(Value.self, in: 0..<value.count)
    }
  }

  func encode(into encoder: inout MessageEncoder) {
    encoder.append(bytes: fixed)
    for attribute in attributes { encoder.attribute(attribute.typeAndFlags, bytes: attribute.value) }
  }
}
