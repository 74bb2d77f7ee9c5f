import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionConfiguration {
  /// The value of `timeoutIntervalForResource` in the range that clocks can add.
  var resourceTimeout: Duration {
    // `min` turns NaN into the maximum.
    .seconds(max(0, min(1_000_000_000, timeoutIntervalForResource)))
  }
}
