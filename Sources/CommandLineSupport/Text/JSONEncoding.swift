// SPDX-License-Identifier: Apache-2.0
extension JSONObject {
  /// Adds the members that a closure encodes, in their order.
  package mutating func add(_ encode: (any Encoder) throws -> Void) {
    let encoding = JSONEncoding(&bytes)
    do { try encode(encoding) } catch { preconditionFailure("\(error)") }
    bytes = encoding.take()
  }

  /// Adds a member whose value is encoded.
  package mutating func add(_ key: some CodingKey, encoding value: some Encodable) {
    add { encoder in
      var members = encoder.container(keyedBy: type(of: key))
      try members.encode(value, forKey: key)
    }
  }
}

/// Encodes values as JSON on one line, members in the order in which they are encoded; without Foundation.
///
/// It writes what is encoded at once, so a value ends its nested containers before it goes on, as all calls of
/// `encode` do. Values of this package need neither nested containers that stay open nor encoders for superclasses.
private final class JSONEncoding: Encoder {
  fileprivate var bytes: [UInt8]
  /// What ends the container that was opened last; `nil` before a value opens one.
  private var end: UInt8?

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Continues an object without its closing brace.
  init(_ object: inout [UInt8]) {
    bytes = object
    object = []
    end = UInt8(ascii: "}")
  }

  func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    open("{", "}")
    return KeyedEncodingContainer(JSONMembers(encoding: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    open("[", "]")
    return JSONElements(encoding: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingleValue(encoding: self) }

  /// Opens a container, unless the value continues its own.
  private func open(_ start: Unicode.Scalar, _ end: Unicode.Scalar) {
    guard self.end == nil else { return }
    bytes.append(UInt8(ascii: start))
    self.end = UInt8(ascii: end)
  }

  fileprivate func separate() {
    if bytes.last != UInt8(ascii: "{"), bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
  }

  fileprivate func beginMember(_ key: some CodingKey) {
    separate()
    key.stringValue.appendJSON(to: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }

  fileprivate func encode(_ value: some Encodable) throws {
    let outer = end
    end = nil
    try value.encode(to: self)
    if let end { bytes.append(end) }
    end = outer
  }
}

private struct JSONMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoding: JSONEncoding
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil(forKey key: Key) {
    encoding.beginMember(key)
    encoding.bytes += "null".utf8
  }

  mutating func encode(_ value: some Encodable, forKey key: Key) throws {
    encoding.beginMember(key)
    try encoding.encode(value)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { preconditionFailure() }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    preconditionFailure()
  }

  mutating func superEncoder() -> any Encoder { preconditionFailure() }

  mutating func superEncoder(forKey key: Key) -> any Encoder { preconditionFailure() }
}

private struct JSONElements: UnkeyedEncodingContainer {
  let encoding: JSONEncoding
  var codingPath: [any CodingKey] { [] }
  private(set) var count = 0

  init(encoding: JSONEncoding) { self.encoding = encoding }

  mutating func encodeNil() {
    encoding.separate()
    encoding.bytes += "null".utf8
    count += 1
  }

  mutating func encode(_ value: some Encodable) throws {
    encoding.separate()
    try encoding.encode(value)
    count += 1
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type
  ) -> KeyedEncodingContainer<Nested> { preconditionFailure() }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure() }

  mutating func superEncoder() -> any Encoder { preconditionFailure() }
}

private struct JSONSingleValue: SingleValueEncodingContainer {
  let encoding: JSONEncoding
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() { encoding.bytes += "null".utf8 }
  mutating func encode(_ value: Bool) { value.appendJSON(to: &encoding.bytes) }
  mutating func encode(_ value: String) { value.appendJSON(to: &encoding.bytes) }
  mutating func encode(_ value: Double) { encoding.bytes += value.description.utf8 }
  mutating func encode(_ value: Float) { encoding.bytes += value.description.utf8 }
  mutating func encode(_ value: some FixedWidthInteger & Encodable) {
    encoding.bytes += value.description.utf8
  }
  mutating func encode(_ value: some Encodable) throws { try encoding.encode(value) }
}
