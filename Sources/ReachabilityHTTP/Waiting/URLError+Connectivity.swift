import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLError {
  /// Whether this failure proves that no connection was made, so that no part of the request arrived anywhere.
  ///
  /// On Linux only libcurl's text is proof: Foundation has one code (−1) for a missing route, an untrusted certificate
  /// and a connection that broke in the middle. Its −1004 covers every failure after one of a host's addresses
  /// refused, also in the middle. The texts are those of libcurl's codes 5, 6 and 7 (`CURLE_COULDNT_RESOLVE_PROXY`,
  /// `…_RESOLVE_HOST`, `CURLE_COULDNT_CONNECT`). An unknown text proves nothing.
  var provesNoConnection: Bool {
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
  /// The beginnings of libcurl's texts, in 7.68 and in 8.
  private static let beginnings = [
    "Failed to connect to ", "Couldn't connect to server", "Could not connect to server",
    "Could not resolve host", "Couldn't resolve host", "Could not resolve proxy", "Couldn't resolve proxy",
  ]
  #endif
}
