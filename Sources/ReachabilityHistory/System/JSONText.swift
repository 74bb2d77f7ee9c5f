// SPDX-License-Identifier: Apache-2.0
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The decoder of JSON, which is Foundation's.
enum JSONText {
  private static let decoder = JSONDecoder()

  /// Decodes a value; of two members with the same name, the first one counts.
  static func decode<Value: Decodable>(
    _ type: Value.Type, from text: ArraySlice<UInt8>
  ) throws(DecodingError) -> Value {
    do {
      return try decoder.decode(type, from: Data(text))
    } catch let error as DecodingError {
      throw error
    } catch {
      throw .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "\(error)"))
    }
  }
}
