#if canImport(Glibc)
import CCurl
import Foundation
import Glibc

/// A request as libcurl keeps it (an easy handle), and what reads the answer; one thread at a time may use it.
@safe final class CurlHandle {
  /// What libcurl's calls hand on to.
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

  /// - Parameter timeout: How long all of it may take; the longest that libcurl knows are 24 days.
  init?(_ request: PlainRequest, bodyLimit: Int, timeout: Duration, curl: Curl) {
    guard let easy = unsafe curl.easyInit() else { return nil }
    self.curl = curl
    unsafe self.easy = unsafe easy
    intake = Intake(AnswerReader(bodyLimit: bodyLimit))
    unsafe errorText = .allocate(capacity: Self.errorTextSize)
    unsafe errorText.initialize(repeating: 0, count: Self.errorTextSize)
    guard set(request), set(timeout), setBounds() else { return nil }
  }

  deinit {
    unsafe curl.easyCleanup(easy)
    unsafe curl.freeAll(fields)
    unsafe errorText.deallocate()
  }

  /// What came of it, once libcurl has ended it with a code.
  func result(_ code: CInt, from url: URL) -> Result<HTTPAnswer, NoAnswer> {
    var (errorNumber, proxyStatus) = (0, 0)
    unsafe _ = ccurl_get_long(curl.getinfo, easy, CurlInformation.errorNumber, &errorNumber)
    unsafe _ = ccurl_get_long(curl.getinfo, easy, CurlInformation.proxyStatus, &proxyStatus)
    var text = unsafe String(cString: errorText)
    if text.isEmpty, let words = unsafe curl.errorText(code) { text = unsafe String(cString: words) }
    let end = TransferEnd(
      code: code, text: text, errorNumber: Int32(clamping: errorNumber), proxyStatus: proxyStatus)
    return intake.reader.result(of: end, from: url)
  }

  // MARK: - Options

  private func set(_ option: CurlOption, _ value: Int) -> Bool {
    unsafe ccurl_set_long(curl.setopt, easy, option.rawValue, value) == 0
  }

  private func set(_ option: CurlOption, _ value: String) -> Bool {
    unsafe ccurl_set_pointer(curl.setopt, easy, option.rawValue, value) == 0
  }

  private func set(_ request: PlainRequest) -> Bool {
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
        // Copied, and never read beyond its size.
        && body.withUnsafeBytes {
          unsafe ccurl_set_pointer(
            curl.setopt, easy, CurlOption.body.rawValue, $0.baseAddress ?? UnsafeRawPointer(errorText))
        } == 0
    }
    if request.method == "HEAD" { return isSet && set(.noBody, 1) }
    return isSet && set(.method, request.method)
  }

  private func set(_ timeout: Duration) -> Bool {
    // 0 would be no limit, or libcurl's own of 5 minutes.
    let milliseconds = Int(min(max(timeout / .milliseconds(1), 1).rounded(.up), Double(Int32.max)))
    return set(.timeout, milliseconds) && set(.connectionTimeout, milliseconds)
  }

  /// Sets what is the same for all requests.
  private func setBounds() -> Bool {
    let context = unsafe Unmanaged.passUnretained(intake).toOpaque()
    let isSet =
      unsafe ccurl_set_pointer(curl.setopt, easy, CurlOption.errorBuffer.rawValue, errorText) == 0
      && ccurl_set_pointer(curl.setopt, easy, CurlOption.lineContext.rawValue, context) == 0
      && ccurl_set_taker(curl.setopt, easy, CurlOption.lineTaker.rawValue) { bytes, size, count, context in
        unsafe CurlHandle.take(bytes, size * count, context) { $0.take(line: $1) }
      } == 0
      && ccurl_set_pointer(curl.setopt, easy, CurlOption.bodyContext.rawValue, context) == 0
      && ccurl_set_taker(curl.setopt, easy, CurlOption.bodyTaker.rawValue) { bytes, size, count, context in
        unsafe CurlHandle.take(bytes, size * count, context) { $0.take(body: $1) }
      } == 0
    // CURLPROTO_HTTP and CURLPROTO_HTTPS; CURL_NETRC_IGNORED; CURL_HTTP_VERSION_1_1
    return isSet && set(.protocols, 1 | 2) && set(.netrc, 0) && set(.version, 2)
      && set(.noSignal, 1) && set(.noProgress, 1) && set(.followLocation, 0) && set(.allowsHTTP09, 0)
      && set(.hidesTunnel, 1) && set(.freshConnection, 1) && set(.forbidsReuse, 1)
      // All that this libcurl can undo.
      && set(.acceptedEncodings, "") && setAuthorities()
  }

  /// Hands bytes on; returns how many were taken, and another number to end it all.
  private static func take(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
    by take: (inout AnswerReader, [UInt8]) -> Bool
  ) -> Int {
    guard let context = unsafe context else { return count + 1 }
    let intake = unsafe Unmanaged<Intake>.fromOpaque(context).takeUnretainedValue()
    let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    return take(&intake.reader, bytes) ? count : count + 1
  }

  /// Names a file of certificates where libcurl does not know one, as Foundation does.
  private func setAuthorities() -> Bool {
    var known: UnsafePointer<CChar>?
    // One that is too old to say so was built for its system.
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
