import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A failure that proves that no connection was made.
struct NotConnected: Error {
  var failure: URLError
  /// Whether no request was made, because the monitor foresaw the failure.
  var isForeseen: Bool
}
