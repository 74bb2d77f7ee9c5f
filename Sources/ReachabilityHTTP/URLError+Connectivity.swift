import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLError {
  /// Whether this failure proves that no connection was made, so that nothing of the request can have arrived anywhere.
  ///
  /// Foundation for Linux has one code (−1) for a missing route, an untrusted certificate and a connection that broke in the middle,
  /// and gives −1004 to everything that fails after any of a host's addresses refused, be it in the middle too. So it is libcurl's
  /// text that tells: that of its codes 5, 6 and 7 (`CURLE_COULDNT_RESOLVE_PROXY`, `…_RESOLVE_HOST`, `CURLE_COULDNT_CONNECT`). A text
  /// that is not known proves nothing.
  var tellsThatNothingWasConnected: Bool {
    #if canImport(FoundationNetworking)
    let text = localizedDescription
    return Self.beginnings.contains { text.hasPrefix($0) }
    #else
    switch code {
    case .notConnectedToInternet, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .dataNotAllowed,
      .internationalRoamingOff, .callIsActive:
      return true
    default: return false
    }
    #endif
  }

  #if canImport(FoundationNetworking)
  /// How libcurl's texts begin, of 7.68 as of 8.
  private static let beginnings = [
    "Failed to connect to ", "Couldn't connect to server", "Could not connect to server",
    "Could not resolve host", "Couldn't resolve host", "Could not resolve proxy", "Couldn't resolve proxy",
  ]
  #endif
}
