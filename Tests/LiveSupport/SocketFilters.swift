// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLiveSupport

/// Returns the lengths of the filter programs of this process's sockets, by descriptor.
public func filterLengths() -> [CInt: CInt] {
  // New descriptors have the lowest free numbers.
  Dictionary(uniqueKeysWithValues: (0..<1024 as Range<CInt>).map { ($0, live_filter_length($0)) })
    .filter { $0.value > 0 }
}
#endif
