// SPDX-License-Identifier: Apache-2.0
/// The lines that were printed.
let printed = AsyncStream.makeStream(of: String.self)

/// Prints a line, and reports it; the recipes call it as Swift's `print`.
func print(_ items: Any...) {
  let line = items.map { "\($0)" }.joined(separator: " ")
  Swift.print(line)
  printed.continuation.yield(line)
}
