#if canImport(Glibc)
/// The information that an easy handle provides; the numbers are those of libcurl's `curl/curl.h`.
enum CurlInformation {
  /// `CURLINFO_REQUEST_SIZE`.
  static let requestSize: CInt = 0x200000 + 12
  /// `CURLINFO_HTTP_CONNECTCODE`.
  static let proxyStatus: CInt = 0x200000 + 22
  /// `CURLINFO_OS_ERRNO`.
  static let errorNumber: CInt = 0x200000 + 25
  /// `CURLINFO_CAINFO`.
  static let authorities: CInt = 0x100000 + 61
}
#endif
