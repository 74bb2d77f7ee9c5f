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
  ///
  /// The codes are those of libcurl's `curl/curl.h`, and never change.
  init(_ end: TransferEnd, isInBody: Bool) {
    func failure(_ code: ReachabilityVerification.Failure.Code, _ text: String = end.text) -> NoAnswer {
      NoAnswer(.notConnected(.init(code, text: text)))
    }
    self =
      switch end.code {
      // Before a tunnel exists, only the proxy can answer.
      case _ where end.proxyStatus == 511: NoAnswer(.captivePortal(nil))
      // CURLE_UNSUPPORTED_PROTOCOL, also for an answer in HTTP/0.9
      case 1 where end.text.contains("HTTP/0.9"): .notHTTP("no HTTP status line")
      // This libcurl has no TLS; the same code stands for answers that it cannot read.
      case 1 where end.text.hasPrefix("Protocol "): failure(.url(.unsupportedURL))
      case 1: .notHTTP(end.text)
      // CURLE_URL_MALFORMAT
      case 3: failure(.url(.badURL))
      // CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST
      case 5, 6: failure(.name)
      // CURLE_COULDNT_CONNECT
      case 7 where end.errorNumber == 0: failure(.url(.cannotConnectToHost))
      case 7: failure(.system(errorNumber: end.errorNumber), end.textWithSystemError)
      // CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_TOO_LARGE
      case 8, 61: .notHTTP(end.text)
      case 100: .notHTTP("more header fields than libcurl accepts")
      // CURLE_OPERATION_TIMEDOUT
      case 28: NoAnswer(.timedOut)
      // CURLE_RECV_ERROR
      case 56 where isInBody && end.text.contains("chunked"): .notHTTP(end.text)
      case 56 where end.proxyStatus != 0 && end.proxyStatus / 100 != 2: failure(.other)
      // CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR
      case 18, 52, 55, 56: failure(.url(.networkConnectionLost))
      // CURLE_PEER_FAILED_VERIFICATION
      case 60: failure(.url(.serverCertificateUntrusted))
      // CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
      // CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT
      case 35, 58, 59, 77, 83, 90, 91, 98: failure(.url(.secureConnectionFailed))
      default: failure(.other)
      }
  }
}
