// SPDX-License-Identifier: Apache-2.0
import Foundation
import POSIX
import ReachabilityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The reason why a request has no HTTP answer.
package struct NoAnswer: Error {
  var verdict: ReachabilityVerification.Outcome.Verdict

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

/// A code with which libcurl ends a request; the numbers are those of `curl/curl.h`, and never change.
struct CurlCode: RawRepresentable, Equatable {
  var rawValue: Int32

  /// `CURLE_OK`.
  static let success = CurlCode(rawValue: 0)
  /// `CURLE_UNSUPPORTED_PROTOCOL`.
  static let unsupportedProtocol = CurlCode(rawValue: 1)
  /// `CURLE_URL_MALFORMAT`.
  static let malformedURL = CurlCode(rawValue: 3)
  /// `CURLE_COULDNT_RESOLVE_PROXY`.
  static let proxyNotResolved = CurlCode(rawValue: 5)
  /// `CURLE_COULDNT_RESOLVE_HOST`.
  static let hostNotResolved = CurlCode(rawValue: 6)
  /// `CURLE_COULDNT_CONNECT`.
  static let notConnected = CurlCode(rawValue: 7)
  /// `CURLE_WEIRD_SERVER_REPLY`.
  static let weirdReply = CurlCode(rawValue: 8)
  /// `CURLE_PARTIAL_FILE`.
  static let partialFile = CurlCode(rawValue: 18)
  /// `CURLE_OUT_OF_MEMORY`.
  static let outOfMemory = CurlCode(rawValue: 27)
  /// `CURLE_OPERATION_TIMEDOUT`.
  static let timedOut = CurlCode(rawValue: 28)
  /// `CURLE_SSL_CONNECT_ERROR`.
  static let handshakeFailed = CurlCode(rawValue: 35)
  /// `CURLE_INTERFACE_FAILED`.
  static let interfaceFailed = CurlCode(rawValue: 45)
  /// `CURLE_GOT_NOTHING`.
  static let emptyReply = CurlCode(rawValue: 52)
  /// `CURLE_SEND_ERROR`.
  static let sendFailed = CurlCode(rawValue: 55)
  /// `CURLE_RECV_ERROR`.
  static let receiveFailed = CurlCode(rawValue: 56)
  /// `CURLE_SSL_CERTPROBLEM`.
  static let ownCertificateUnusable = CurlCode(rawValue: 58)
  /// `CURLE_SSL_CIPHER`.
  static let cipherUnusable = CurlCode(rawValue: 59)
  /// `CURLE_PEER_FAILED_VERIFICATION`.
  static let certificateUntrusted = CurlCode(rawValue: 60)
  /// `CURLE_BAD_CONTENT_ENCODING`.
  static let badEncoding = CurlCode(rawValue: 61)
  /// `CURLE_SSL_CACERT_BADFILE`.
  static let authoritiesUnusable = CurlCode(rawValue: 77)
  /// `CURLE_SSL_ISSUER_ERROR`.
  static let issuerRejected = CurlCode(rawValue: 83)
  /// `CURLE_SSL_PINNEDPUBKEYNOTMATCH`.
  static let pinnedKeyMismatch = CurlCode(rawValue: 90)
  /// `CURLE_SSL_INVALIDCERTSTATUS`.
  static let certificateStatusInvalid = CurlCode(rawValue: 91)
  /// `CURLE_SSL_CLIENTCERT`.
  static let clientCertificateRequired = CurlCode(rawValue: 98)
  /// `CURLE_TOO_LARGE`.
  static let tooLarge = CurlCode(rawValue: 100)
}

/// The end of a request as libcurl reports it.
struct TransferEnd: Sendable {
  /// The code of libcurl, a `CURLcode`; 0 for success.
  var code: Int32
  /// libcurl's text for it, without durations.
  var text: String
  /// The error number of the system if no connection was established, or 0.
  var errorNumber: Int32
  /// The status of the proxy's answer to CONNECT, or 0.
  var proxyStatus: Int
  /// Whether the request was sent, or a part of it.
  var isSent: Bool

  init(
    code: Int32, text: String = "", errorNumber: Int32 = 0, proxyStatus: Int = 0, isSent: Bool = false
  ) {
    self.code = code
    self.text = text.withoutTime
    self.errorNumber = errorNumber
    self.proxyStatus = proxyStatus
    self.isSent = isSent
  }
}

extension TransferEnd {
  /// Whether libcurl reports success.
  var isSuccess: Bool { CurlCode(rawValue: code) == .success }

  /// libcurl's text with the system's reason in place of its own, which is always the same.
  var textWithSystemError: String {
    for words in ["Couldn't connect to server", "Could not connect to server"] where text.hasSuffix(words) {
      return String(text.dropLast(words.count)) + Errno(rawValue: errorNumber).description
    }
    return text
  }
}
