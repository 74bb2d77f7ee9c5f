import Foundation
import ReachabilityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The reason why a request has no HTTP answer.
package struct NoAnswer: Error {
  package var verdict: ReachabilityVerification.Outcome.Verdict

  package init(_ verdict: ReachabilityVerification.Outcome.Verdict) { self.verdict = verdict }

  /// The other end answered, but not in HTTP.
  static func notHTTP(_ found: String) -> NoAnswer {
    NoAnswer(.unexpected(expected: "an HTTP answer", found: found))
  }

  /// The request is invalid and cannot be sent.
  static func invalidRequest(_ code: URLError.Code, _ text: String) -> NoAnswer {
    NoAnswer(.notConnected(.init(.url(code), text: text)))
  }
}

extension NoAnswer {
  /// Creates the reason for an end other than success.
  init(_ end: TransferEnd, isInBody: Bool) {
    func failure(_ code: ReachabilityVerification.Failure.Code, _ text: String = end.text) -> NoAnswer {
      NoAnswer(.notConnected(.init(code, text: text)))
    }
    self =
      switch CurlCode(rawValue: end.code) {
      // Before a tunnel exists, only the proxy can answer.
      case _ where end.proxyStatus == 511: NoAnswer(.captivePortal(nil))
      // Also the code for an answer in HTTP/0.9, and for answers that libcurl cannot read.
      case .unsupportedProtocol where end.text.contains("HTTP/0.9"): .notHTTP("no HTTP status line")
      case .unsupportedProtocol where end.text.hasPrefix("Protocol "): failure(.url(.unsupportedURL))
      case .unsupportedProtocol: .notHTTP(end.text)
      case .malformedURL: failure(.url(.badURL))
      case .proxyNotResolved, .hostNotResolved: failure(.name)
      case .notConnected where end.errorNumber == 0: failure(.url(.cannotConnectToHost))
      case .notConnected: failure(.system(errorNumber: end.errorNumber), end.textWithSystemError)
      case .weirdReply, .badEncoding: .notHTTP(end.text)
      case .tooLarge: .notHTTP("more header fields than libcurl accepts")
      // Older versions have no other code for a line that is too long.
      case .outOfMemory where end.isSent && !isInBody: .notHTTP("a line that is longer than libcurl accepts")
      case .timedOut: NoAnswer(.timedOut)
      case .receiveFailed where isInBody && end.text.contains("chunked"): .notHTTP(end.text)
      // The proxy rejected the tunnel.
      case .receiveFailed where end.proxyStatus != 0 && end.proxyStatus / 100 != 2: failure(.other)
      case .partialFile, .emptyReply, .sendFailed, .receiveFailed: failure(.url(.networkConnectionLost))
      case .certificateUntrusted: failure(.url(.serverCertificateUntrusted))
      case .handshakeFailed, .ownCertificateUnusable, .cipherUnusable, .authoritiesUnusable, .issuerRejected,
        .pinnedKeyMismatch, .certificateStatusInvalid, .clientCertificateRequired:
        failure(.url(.secureConnectionFailed))
      default: failure(.other)
      }
  }
}
