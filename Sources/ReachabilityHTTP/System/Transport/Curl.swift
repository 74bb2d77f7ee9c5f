// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
import CCurl
import Glibc

/// The functions of libcurl.
///
/// Foundation's requests need libcurl, so it is installed and loaded wherever this code runs. The functions are found
/// at run time: the library is present on every such machine, the files for linking it are not always.
// Safe to share: these are addresses of functions in a library that is never unloaded.
@safe struct Curl: @unchecked Sendable {
  /// The functions, or `nil` without libcurl 7.68 or later.
  static let loaded: Curl? = Curl()

  let setopt: UnsafeMutableRawPointer
  let getinfo: UnsafeMutableRawPointer
  let easyInit: ccurl_init
  let easyCleanup: ccurl_easy_cleanup
  let errorText: ccurl_strerror
  let append: ccurl_slist_append
  let freeAll: ccurl_slist_free_all
  let performEasy: ccurl_easy_call
  let multiInit: ccurl_init
  let multiAdd: ccurl_multi_pair
  let multiRemove: ccurl_multi_pair
  let perform: ccurl_multi_perform
  let poll: ccurl_multi_poll
  let wakeUp: ccurl_multi_call
  let multiCleanup: ccurl_multi_call
  let nextMessage: ccurl_multi_info_read

  private init?() {
    struct Missing: Error {}
    guard let library = unsafe dlopen("libcurl.so.4", RTLD_LAZY) else { return nil }
    func find<Function>(_ name: String, _ type: Function.Type = Function.self) throws(Missing) -> Function {
      guard let address = unsafe dlsym(library, name) else { throw Missing() }
      return unsafe unsafeBitCast(address, to: type)
    }
    do throws(Missing) {
      unsafe setopt = try find("curl_easy_setopt")
      unsafe getinfo = try find("curl_easy_getinfo")
      unsafe easyInit = try find("curl_easy_init")
      unsafe easyCleanup = try find("curl_easy_cleanup")
      unsafe errorText = try find("curl_easy_strerror")
      unsafe append = try find("curl_slist_append")
      unsafe freeAll = try find("curl_slist_free_all")
      unsafe performEasy = try find("curl_easy_perform")
      unsafe multiInit = try find("curl_multi_init")
      unsafe multiAdd = try find("curl_multi_add_handle")
      unsafe multiRemove = try find("curl_multi_remove_handle")
      unsafe perform = try find("curl_multi_perform")
      unsafe poll = try find("curl_multi_poll")
      unsafe wakeUp = try find("curl_multi_wakeup")
      unsafe multiCleanup = try find("curl_multi_cleanup")
      unsafe nextMessage = try find("curl_multi_info_read")
      let globalInit = try find("curl_global_init", ccurl_global_init.self)
      // Foundation makes the same call; the second of the two changes nothing.
      guard globalInit(CurlValue.initializesAll) == 0 else { return nil }
    } catch {
      return nil
    }
  }
}

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
