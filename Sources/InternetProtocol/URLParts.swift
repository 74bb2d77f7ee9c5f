// SPDX-License-Identifier: Apache-2.0
/// The parts of a URL that are safe to show; user information, query and fragment may be secret.
///
/// The parser compares bytes, so that no combining character hides a delimiter. The source is RFC 3986, section 7.5.
package struct URLParts: Sendable {
  /// The text before `://`, without validation.
  package let scheme: Substring
  /// The text from `://`, or from the last `@`, to the port or the path.
  package let host: Substring
  /// The text after the host's colon, or `nil` without a colon.
  package let port: Substring?
  let path: Substring

  /// Parses a text, or returns `nil` if it has no `://`.
  package init?(_ text: String) {
    guard let separator = text.schemeSeparator else { return nil }
    scheme = text[..<separator.lowerBound]
    let rest = text[separator.upperBound...].prefix(before: "?#")
    var authority = rest.prefix(before: "/")
    path = rest[authority.endIndex...]
    if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
      authority = authority[authority.utf8.index(after: at)...]
    }
    // The last colon precedes the port, unless it belongs to an IPv6 address in brackets.
    if let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")),
      !authority[colon...].utf8.contains(UInt8(ascii: "]"))
    {
      host = authority[..<colon]
      port = authority[authority.utf8.index(after: colon)...]
    } else {
      host = authority
      port = nil
    }
  }

  /// The URL without its secret parts.
  var text: String { "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(path)" }
}

extension String {
  /// The text without user information, query and fragment if it is a URL; for parsed text.
  package var withoutSecrets: String { URLParts(self)?.text ?? self }

  /// The text with possible user information, query and fragment replaced by `…`; for errors about unparsable text.
  package var redacted: String {
    var scheme = self[..<startIndex]
    if let separator = schemeSeparator, self[..<separator.lowerBound].utf8.allSatisfy(\.isPartOfScheme) {
      scheme = self[..<separator.upperBound]
    }
    let body = self[scheme.endIndex...]
    // Delimiters may be escaped too. A password may contain that of a query, and a query that of a password.
    let at = body.end(ofLast: ["@", "%40"])
    let query = body.start(ofFirst: ["?", "#", "%3f", "%23"])
    if let at, let query, query < at { return scheme + "…" }
    let shown = body[(at ?? body.startIndex)..<(query ?? body.endIndex)]
    let lead = at == nil ? "" : "…@"
    // An invalid port may be the password of a user without a host.
    if !scheme.isEmpty, let colon = shown.startOfPassword { return scheme + lead + shown[...colon] + "…" }
    return scheme + lead + shown + (query == nil ? "" : "…")
  }
}

extension StringProtocol {
  /// The range of the first `://`.
  ///
  /// `firstRange(of:)` would link the standard library's regular expressions into a static program: a third more of
  /// all that is searched at launch.
  fileprivate var schemeSeparator: Range<Index>? {
    var rest = utf8[...]
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      if rest[colon...].starts(with: "://".utf8) { return colon..<rest.index(colon, offsetBy: 3) }
      rest = rest[rest.index(after: colon)...]
    }
    return nil
  }
}

extension Substring {
  fileprivate func prefix(before bytes: StaticString) -> Substring {
    let delimiters = bytes.description.utf8
    return self[..<(utf8.firstIndex(where: delimiters.contains) ?? endIndex)]
  }

  /// Returns the start of the first occurrence of lower-case texts, ignoring case.
  fileprivate func start(ofFirst texts: [String]) -> Index? {
    utf8.indices.first { index in texts.contains { begins(with: $0, at: index) } }
  }

  /// Returns the end of the last occurrence of lower-case texts, ignoring case.
  fileprivate func end(ofLast texts: [String]) -> Index? {
    for index in utf8.indices.reversed() {
      if let text = texts.first(where: { begins(with: $0, at: index) }) {
        return utf8.index(index, offsetBy: text.utf8.count)
      }
    }
    return nil
  }

  private func begins(with text: String, at index: Index) -> Bool {
    utf8[index...].lazy.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
      .starts(with: text.utf8)
  }

  /// The index of the host's first colon, unless a port or an IPv6 address follows it.
  fileprivate var startOfPassword: Index? {
    var host = prefix(before: "/").utf8
    // A text that is redacted already may end with the mark after its port.
    if host.suffix(3).elementsEqual("…".utf8) { host.removeLast(3) }
    guard host.first != UInt8(ascii: "["), let colon = host.firstIndex(of: UInt8(ascii: ":")) else {
      return nil
    }
    let rest = host[host.index(after: colon)...]
    let allowed = rest.contains(UInt8(ascii: ":")) ? "0123456789abcdefABCDEF:." : "0123456789"
    return rest.allSatisfy(allowed.utf8.contains) ? nil : colon
  }
}

extension UInt8 {
  /// Whether the byte is allowed in a scheme, or in the name of an option before it.
  fileprivate var isPartOfScheme: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "="):
      true
    default: false
    }
  }
}
