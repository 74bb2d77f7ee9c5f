#if os(Linux)
import CLiveSupport

/// The lengths of the programs that the kernel runs on what comes to sockets of this process, by descriptor.
public func filterLengths() -> [CInt: CInt] {
  // Descriptors are the lowest numbers that are free.
  Dictionary(uniqueKeysWithValues: (0..<1024 as Range<CInt>).map { ($0, live_filter_length($0)) })
    .filter { $0.value > 0 }
}
#endif
