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
