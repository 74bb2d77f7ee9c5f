#if os(Linux)
import Testing

extension WireDecoder: CustomTestStringConvertible {
  var testDescription: String { name }

  /// The decoder by its name.
  static func named(_ name: String) throws -> WireDecoder {
    try #require(all.first { $0.name == name })
  }
}
#endif
