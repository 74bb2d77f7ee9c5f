// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(Glibc)
import CCurl
import Glibc

/// A request of libcurl (an easy handle) and the reader of its answer.
///
/// One thread at a time may use it.
@safe final class CurlHandle {
  /// The context of libcurl's callbacks.
  private final class Intake {
    var reader: AnswerReader

    init(_ reader: AnswerReader) { self.reader = reader }
  }

  let curl: Curl
  let easy: UnsafeMutableRawPointer
  private let intake: Intake
  private let errorText: UnsafeMutablePointer<CChar>
  private var fields: UnsafeMutableRawPointer?

  /// `CURL_ERROR_SIZE`.
  private static let errorTextSize = 256

  /// - Parameter timeout: The time limit of the whole request; libcurl's maximum is 24 days.
  init?(_ request: PlainRequest, bodyLimit: Int, timeout: Duration, curl: Curl) {
    guard let easy = unsafe curl.easyInit() else { return nil }
    self.curl = curl
    unsafe self.easy = unsafe easy
    intake = Intake(AnswerReader(bodyLimit: bodyLimit))
    unsafe errorText = .allocate(capacity: Self.errorTextSize)
    unsafe errorText.initialize(repeating: 0, count: Self.errorTextSize)
    guard setRequest(request), setTimeout(timeout), setCommonOptions() else { return nil }
  }

  deinit {
    unsafe curl.easyCleanup(easy)
    unsafe curl.freeAll(fields)
    unsafe errorText.deallocate()
  }

  /// Returns the result of the request after libcurl has ended it with a code.
  func result(_ code: CInt, from url: URL) -> Result<HTTPAnswer, NoAnswer> {
    var (errorNumber, proxyStatus, requestSize) = (0, 0, 0)
    unsafe _ = ccurl_get_long(curl.getinfo, easy, CurlInformation.errorNumber, &errorNumber)
    unsafe _ = ccurl_get_long(curl.getinfo, easy, CurlInformation.proxyStatus, &proxyStatus)
    unsafe _ = ccurl_get_long(curl.getinfo, easy, CurlInformation.requestSize, &requestSize)
    var text = unsafe String(cString: errorText)
    if text.isEmpty, let words = unsafe curl.errorText(code) { text = unsafe String(cString: words) }
    let end = TransferEnd(
      code: code, text: ProxySettings.current.withoutCredentials(text, for: url),
      errorNumber: Int32(clamping: errorNumber), proxyStatus: proxyStatus, isSent: requestSize > 0)
    return intake.reader.result(of: end, from: url)
  }

  // MARK: - Options

  private func set(_ option: CurlOption, _ value: Int) -> Bool {
    unsafe ccurl_set_long(curl.setopt, easy, option.rawValue, value) == 0
  }

  private func set(_ option: CurlOption, _ value: String) -> Bool {
    unsafe ccurl_set_pointer(curl.setopt, easy, option.rawValue, value) == 0
  }

  private func setRequest(_ request: PlainRequest) -> Bool {
    for line in request.lines {
      guard let longer = unsafe curl.append(fields, line) else { return false }
      unsafe fields = unsafe longer
    }
    var isSet = unsafe ccurl_set_pointer(curl.setopt, easy, CurlOption.fields.rawValue, fields) == 0
    isSet = isSet && set(.url, request.url)
    if let body = request.body {
      isSet =
        unsafe isSet
        && ccurl_set_size(curl.setopt, easy, CurlOption.bodySize.rawValue, Int64(body.count)) == 0
        // libcurl copies the body, and reads no further than its size.
        && body.withUnsafeBytes {
          unsafe ccurl_set_pointer(
            curl.setopt, easy, CurlOption.body.rawValue, $0.baseAddress ?? UnsafeRawPointer(errorText))
        } == 0
    }
    if request.method == "HEAD" { return isSet && set(.noBody, 1) }
    return isSet && set(.method, request.method)
  }

  private func setTimeout(_ timeout: Duration) -> Bool {
    // 0 means no limit, or libcurl's default of 5 minutes.
    let milliseconds = Int(min(max(timeout / .milliseconds(1), 1).rounded(.up), Double(Int32.max)))
    return set(.timeout, milliseconds) && set(.connectionTimeout, milliseconds)
  }

  /// Sets the options that are the same for all requests.
  private func setCommonOptions() -> Bool {
    let context = unsafe Unmanaged.passUnretained(intake).toOpaque()
    let isSet =
      unsafe ccurl_set_pointer(curl.setopt, easy, CurlOption.errorBuffer.rawValue, errorText) == 0
      && ccurl_set_pointer(curl.setopt, easy, CurlOption.lineContext.rawValue, context) == 0
      && ccurl_set_callback(curl.setopt, easy, CurlOption.lineReader.rawValue) {
        bytes, size, count, context in
        unsafe CurlHandle.deliver(bytes, count: size * count, context: context) { $0.read(line: $1) }
      } == 0
      && ccurl_set_pointer(curl.setopt, easy, CurlOption.bodyContext.rawValue, context) == 0
      && ccurl_set_callback(curl.setopt, easy, CurlOption.bodyReader.rawValue) {
        bytes, size, count, context in
        unsafe CurlHandle.deliver(bytes, count: size * count, context: context) { $0.read(body: $1) }
      } == 0
    return isSet && set(.protocols, CurlValue.http | CurlValue.https)
      && set(.netrc, CurlValue.ignoresNetrc) && set(.version, CurlValue.http1_1)
      && set(.noSignal, 1) && set(.noProgress, 1) && set(.followLocation, 0) && set(.allowsHTTP09, 0)
      && set(.hidesTunnel, 1) && set(.freshConnection, 1) && set(.forbidsReuse, 1)
      // An empty text accepts all encodings that this libcurl can decode.
      && set(.acceptedEncodings, "") && setAuthorities()
  }

  /// Passes bytes to the reader; returns their count, or another number to end the transfer.
  private static func deliver(
    _ bytes: UnsafeMutablePointer<CChar>?, count: Int, context: UnsafeMutableRawPointer?,
    to read: (inout AnswerReader, [UInt8]) -> Bool
  ) -> Int {
    guard let context = unsafe context else { return count + 1 }
    let intake = unsafe Unmanaged<Intake>.fromOpaque(context).takeUnretainedValue()
    let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    return read(&intake.reader, bytes) ? count : count + 1
  }

  /// Sets a file of certificates if libcurl has no default for it, as Foundation does.
  private func setAuthorities() -> Bool {
    var known: UnsafePointer<CChar>?
    // A version too old for this query has a default that fits its system.
    guard unsafe ccurl_get_text(curl.getinfo, easy, CurlInformation.authorities, &known) == 0,
      unsafe known == nil
    else { return true }
    let files = [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
      "/usr/share/ssl/certs/ca-bundle.crt", "/usr/local/share/certs/ca-root-nss.crt", "/etc/ssl/cert.pem",
    ]
    return files.first { unsafe access($0, R_OK) == 0 }.map { set(.authorities, $0) } ?? true
  }
}
#endif

/// The list of hosts that are reached without a proxy, as this system's libcurl reads it (`CURLOPT_NOPROXY`).
///
/// Versions of libcurl differ: 7.88 compares no IPv6 prefixes, and takes `0.0.0.0/0` for an address.
enum CurlProxyList {
  /// Whether a list exempts a URL from its proxy; `nil` if libcurl's functions cannot be called here.
  ///
  /// libcurl makes a request to this machine, through a proxy that it cannot read and from an interface that cannot
  /// exist. Which of the two it rejects is the answer; it looks nothing up and sends nothing.
  static func exempts(_ url: URL, by list: String) -> Bool? {
    #if canImport(Glibc)
    guard let curl = Curl.loaded, let easy = unsafe curl.easyInit(),
      let names = unsafe curl.append(
        nil, "*:\(url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)):127.0.0.1")
    else { return nil }
    defer {
      unsafe curl.easyCleanup(easy)
      unsafe curl.freeAll(names)
    }
    func set(_ option: CurlOption, _ value: String) -> Bool {
      unsafe ccurl_set_pointer(curl.setopt, easy, option.rawValue, value) == 0
    }
    guard set(.url, url.absoluteString), set(.noProxy, list), set(.proxy, "http://no proxy"),
      set(.interface, "if!no interface"),
      unsafe ccurl_set_pointer(curl.setopt, easy, CurlOption.resolve.rawValue, names) == 0,
      unsafe ccurl_set_long(curl.setopt, easy, CurlOption.noSignal.rawValue, 1) == 0
    else { return nil }
    switch CurlCode(rawValue: unsafe curl.performEasy(easy)) {
    case .proxyNotResolved: return false
    case .interfaceFailed: return true
    default: return nil
    }
    #else
    return nil
    #endif
  }
}
