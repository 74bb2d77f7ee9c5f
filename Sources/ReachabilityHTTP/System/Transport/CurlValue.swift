#if canImport(Glibc)
/// Values of options and arguments; the numbers are those of libcurl's `curl/curl.h`, and never change.
enum CurlValue {
  /// `CURL_GLOBAL_ALL`.
  static let initializesAll = 3
  /// `CURLPROTO_HTTP`.
  static let http = 1
  /// `CURLPROTO_HTTPS`.
  static let https = 2
  /// `CURL_NETRC_IGNORED`.
  static let ignoresNetrc = 0
  /// `CURL_HTTP_VERSION_1_1`.
  static let http1_1 = 2
}
#endif
