// SPDX-License-Identifier: Apache-2.0
// What the recipe uses of swift-metrics 2, with the same names and types.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public final class Counter: Sendable {
  private let name: String

  public init(label: String, dimensions: [(String, String)] = []) { name = metricName(label, dimensions) }

  public func increment() { Backend.lines.continuation.yield("counter \(name) + 1") }
}

public final class Gauge: Sendable {
  private let name: String

  public init(label: String, dimensions: [(String, String)] = []) { name = metricName(label, dimensions) }

  public func record(_ value: some BinaryInteger) {
    Backend.lines.continuation.yield("gauge \(name) = \(value)")
  }
}

private func metricName(_ label: String, _ dimensions: [(String, String)]) -> String {
  label + dimensions.map { "{\($0)=\($1)}" }.joined()
}
