#if canImport(Glibc)
/// An option of an easy handle; the numbers are those of libcurl's `curl/curl.h`, and never change.
struct CurlOption: RawRepresentable {
  var rawValue: CInt

  /// `CURLOPT_ERRORBUFFER`.
  static let errorBuffer = CurlOption(rawValue: 10010)
  /// `CURLOPT_URL`.
  static let url = CurlOption(rawValue: 10002)
  /// `CURLOPT_PROXY`.
  static let proxy = CurlOption(rawValue: 10004)
  /// `CURLOPT_NOPROXY`.
  static let noProxy = CurlOption(rawValue: 10177)
  /// `CURLOPT_INTERFACE`.
  static let interface = CurlOption(rawValue: 10062)
  /// `CURLOPT_RESOLVE`.
  static let resolve = CurlOption(rawValue: 10203)
  /// `CURLOPT_PROTOCOLS`.
  static let protocols = CurlOption(rawValue: 181)
  /// `CURLOPT_NOSIGNAL`.
  static let noSignal = CurlOption(rawValue: 99)
  /// `CURLOPT_NOPROGRESS`.
  static let noProgress = CurlOption(rawValue: 43)
  /// `CURLOPT_FOLLOWLOCATION`.
  static let followLocation = CurlOption(rawValue: 52)
  /// `CURLOPT_NETRC`.
  static let netrc = CurlOption(rawValue: 51)
  /// `CURLOPT_HTTP_VERSION`.
  static let version = CurlOption(rawValue: 84)
  /// `CURLOPT_HTTP09_ALLOWED`.
  static let allowsHTTP09 = CurlOption(rawValue: 285)
  /// `CURLOPT_SUPPRESS_CONNECT_HEADERS`.
  static let hidesTunnel = CurlOption(rawValue: 265)
  /// `CURLOPT_FRESH_CONNECT`.
  static let freshConnection = CurlOption(rawValue: 74)
  /// `CURLOPT_FORBID_REUSE`.
  static let forbidsReuse = CurlOption(rawValue: 75)
  /// `CURLOPT_CONNECTTIMEOUT_MS`.
  static let connectionTimeout = CurlOption(rawValue: 156)
  /// `CURLOPT_TIMEOUT_MS`.
  static let timeout = CurlOption(rawValue: 155)
  /// `CURLOPT_ACCEPT_ENCODING`.
  static let acceptedEncodings = CurlOption(rawValue: 10102)
  /// `CURLOPT_CAINFO`.
  static let authorities = CurlOption(rawValue: 10065)
  /// `CURLOPT_HTTPHEADER`.
  static let fields = CurlOption(rawValue: 10023)
  /// `CURLOPT_CUSTOMREQUEST`.
  static let method = CurlOption(rawValue: 10036)
  /// `CURLOPT_NOBODY`.
  static let noBody = CurlOption(rawValue: 44)
  /// `CURLOPT_POSTFIELDSIZE_LARGE`.
  static let bodySize = CurlOption(rawValue: 30120)
  /// `CURLOPT_COPYPOSTFIELDS`.
  static let body = CurlOption(rawValue: 10165)
  /// `CURLOPT_HEADERFUNCTION`.
  static let lineReader = CurlOption(rawValue: 20079)
  /// `CURLOPT_HEADERDATA`.
  static let lineContext = CurlOption(rawValue: 10029)
  /// `CURLOPT_WRITEFUNCTION`.
  static let bodyReader = CurlOption(rawValue: 20011)
  /// `CURLOPT_WRITEDATA`.
  static let bodyContext = CurlOption(rawValue: 10001)
}
#endif
