import POSIX

/// The end of a request as libcurl reports it.
package struct TransferEnd: Sendable {
  /// The code of libcurl, a `CURLcode`; 0 for success.
  package var code: Int32
  /// libcurl's text for it, without durations.
  package var text: String
  /// The error number of the system if no connection was established, or 0.
  package var errorNumber: Int32
  /// The status of the proxy's answer to CONNECT, or 0.
  package var proxyStatus: Int
  /// Whether the request was sent, or a part of it.
  package var isSent: Bool

  package init(
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
