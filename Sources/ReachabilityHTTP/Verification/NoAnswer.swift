import Foundation
import ReachabilityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Why a request has no answer of HTTP.
package struct NoAnswer: Error {
  package var verdict: ReachabilityVerification.Outcome.Verdict

  package init(_ verdict: ReachabilityVerification.Outcome.Verdict) { self.verdict = verdict }

  /// Somebody answered, but not as HTTP wants it.
  static func notHTTP(_ found: String) -> NoAnswer {
    NoAnswer(.unexpected(expected: "an HTTP answer", found: found))
  }

  /// The request is one that can't be made.
  static func refused(_ code: URLError.Code, _ text: String) -> NoAnswer {
    NoAnswer(.notConnected(.init(.url(code), text: text)))
  }
}

/// How libcurl ended a request.
package struct TransferEnd: Sendable {
  /// A number of libcurl's, `CURLcode`; 0 for none.
  package var code: Int32
  /// What libcurl says of it.
  package var text: String
  /// The system's number for why no connection came about, or 0.
  package var errorNumber: Int32
  /// The status of a proxy's answer to CONNECT, or 0.
  package var proxyStatus: Int

  package init(code: Int32, text: String = "", errorNumber: Int32 = 0, proxyStatus: Int = 0) {
    self.code = code
    self.text = text.withoutTime
    self.errorNumber = errorNumber
    self.proxyStatus = proxyStatus
  }
}

extension NoAnswer {
  /// What an end other than success means.
  ///
  /// The numbers are those of libcurl's `curl/curl.h`, and never change.
  init(_ end: TransferEnd, isInBody: Bool) {
    func failure(_ code: ReachabilityVerification.Failure.Code, _ text: String = end.text) -> NoAnswer {
      NoAnswer(.notConnected(.init(code, text: text)))
    }
    self =
      switch end.code {
      // Before a tunnel nobody but the proxy can have said so.
      case _ where end.proxyStatus == 511: NoAnswer(.captivePortal(nil))
      // CURLE_UNSUPPORTED_PROTOCOL, which an answer of HTTP/0.9 is too
      case 1 where end.text.contains("HTTP/0.9"): .notHTTP("something without a status line of HTTP")
      // That libcurl can do no TLS; the same number stands for answers of which it can't make anything.
      case 1 where end.text.hasPrefix("Protocol "): failure(.url(.unsupportedURL))
      case 1: .notHTTP(end.text)
      // CURLE_URL_MALFORMAT
      case 3: failure(.url(.badURL))
      // CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST
      case 5, 6: failure(.name)
      // CURLE_COULDNT_CONNECT
      case 7 where end.errorNumber == 0: failure(.url(.cannotConnectToHost))
      case 7: failure(.system(errorNumber: end.errorNumber), end.textOfSystem)
      // CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_TOO_LARGE
      case 8, 61: .notHTTP(end.text)
      case 100: .notHTTP("more header fields than libcurl takes")
      // CURLE_OPERATION_TIMEDOUT
      case 28: NoAnswer(.timedOut)
      // CURLE_RECV_ERROR
      case 56 where isInBody && end.text.contains("chunked"): .notHTTP(end.text)
      case 56 where end.proxyStatus != 0 && end.proxyStatus / 100 != 2: failure(.other)
      // CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR
      case 18, 52, 55, 56: failure(.url(.networkConnectionLost))
      // CURLE_PEER_FAILED_VERIFICATION
      case 60: failure(.url(.serverCertificateUntrusted))
      // CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
      // CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT
      case 35, 58, 59, 77, 83, 90, 91, 98: failure(.url(.secureConnectionFailed))
      default: failure(.other)
      }
  }
}

extension TransferEnd {
  /// libcurl's text with the system's words for why; its own are always the same.
  fileprivate var textOfSystem: String {
    for words in ["Couldn't connect to server", "Could not connect to server"] where text.hasSuffix(words) {
      return String(text.dropLast(words.count)) + systemErrorText(errorNumber)
    }
    return text
  }
}

extension String {
  /// The text without the time that something took, such as ` after 7 ms`, so that the same failure is the same text.
  var withoutTime: String { replacing(/\ after [0-9]+ (ms|milliseconds)/, with: "") }
}
