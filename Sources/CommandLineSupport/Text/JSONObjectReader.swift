// SPDX-License-Identifier: Apache-2.0
/// The members of a JSON object that another program wrote.
package struct JSONObjectReader {
  private let members: [(key: String, value: ArraySlice<UInt8>)]

  package init?(_ object: [UInt8]) {
    guard let members = JSONScanner.members(of: object) else { return nil }
    self.members = members
  }

  private func value(_ key: String) -> ArraySlice<UInt8>? { members.first { $0.key == key }?.value }

  package func text(_ key: String) -> String? { value(key).flatMap(JSONScanner.text(of:)) }
  package func number(_ key: String) -> Int? {
    value(key).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
  }
  package func isTrue(_ key: String) -> Bool { value(key)?.elementsEqual("true".utf8) == true }
  package func object(_ key: String) -> JSONObjectReader? {
    value(key).flatMap { JSONObjectReader(Array($0)) }
  }
  package func texts(_ key: String) -> [String]? {
    value(key).flatMap(JSONScanner.elements(of:))?.compactMap(JSONScanner.text(of:))
  }
  package func objects(_ key: String) -> [JSONObjectReader]? {
    value(key).flatMap(JSONScanner.elements(of:))?.compactMap { JSONObjectReader(Array($0)) }
  }
}
