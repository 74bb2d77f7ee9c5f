// SPDX-License-Identifier: Apache-2.0
// What the recipe uses of swift-log 1, with the same names and types.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// What was logged and counted.
public enum Backend {
  public static let lines = AsyncStream.makeStream(of: String.self)
}

public struct Logger: Sendable {
  public struct Message: ExpressibleByStringInterpolation, Sendable {
    let text: String

    public init(stringLiteral text: String) { self.text = text }
  }

  public enum MetadataValue: ExpressibleByStringInterpolation, Sendable {
    case string(String)

    public init(stringLiteral text: String) { self = .string(text) }
  }

  public typealias Metadata = [String: MetadataValue]

  let label: String

  public init(label: String) { self.label = label }

  public func notice(
    _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil
  ) {
    let values = (metadata() ?? [:]).map { key, value in
      if case .string(let text) = value { "\(key)=\(text)" } else { key }
    }
    Backend.lines.continuation.yield(
      "\(label): \(([message().text] + values.sorted()).joined(separator: " "))")
  }
}
