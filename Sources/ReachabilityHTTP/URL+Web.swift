import Foundation

extension URL {
  /// Reads the address of a web page; `nil` for other addresses, for example of scripts.
  package init?(forBrowsers text: String) {
    self.init(forBrowsers: text, relativeTo: nil)
  }

  /// Reads the address of a web page, relative to a base if there is one.
  ///
  /// Returns `nil` for other addresses, for example of scripts.
  package init?(forBrowsers text: String, relativeTo base: URL?) {
    guard let url = URL(string: text, relativeTo: base)?.absoluteURL, url.isForBrowsers else { return nil }
    self = url
  }

  /// Whether this is an `http` or `https` URL with a host.
  package var isForBrowsers: Bool {
    ["http", "https"].contains(scheme?.lowercased()) && host()?.isEmpty == false
  }
}
