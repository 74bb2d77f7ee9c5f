// SPDX-License-Identifier: Apache-2.0
extension ReachabilityTarget {
  /// Parses a target: `default`, an IPv4 or IPv6 address, an address with a zone, a host name or a URL.
  ///
  /// `0.0.0.0` and `::` mean the default route. A zone is an interface's name or index (`fe80::1%eth0`, `fe80::1%2`).
  /// It follows a link-local address, or a multicast address from interface-local to site-local scope. An IPv6
  /// address may be in brackets.
  ///
  /// A URL gives the host, the ``transport`` and the ``port``; everything else in it is ignored.
  /// `https://example.com` is TCP port 443; `tcp://example.com:22` and `udp://example.com:53` name protocol and port.
  /// A port in the URL takes precedence over the port of its scheme. With an unknown scheme, a URL with a port is a
  /// TCP target, and a URL without a port is a target without a port. In a URL, `%25` precedes a zone, which may be
  /// escaped (`http://[fe80::1%25eth0]/`, RFC 6874). A single `%` is accepted too, unless `25` follows it.
  ///
  /// - Parameter text: The text to parse.
  /// - Throws: ``ReachabilityTargetError``, which says what is wrong with the text. An empty text is an error, so
  ///   that an unset variable does not become the default route.
  public init(_ text: String) throws(ReachabilityTargetError) {
    if text.isEmpty { throw ReachabilityTargetError(.empty, text: text) }
    if text == "default" {
      self = .defaultRoute
    } else if let url = URLParts(text) {
      self = try Self(url, in: text)
    } else {
      self = try Self(host: text[...], in: text)
    }
  }

  /// Parses an address or a host name as settings hold it, with the port of a connection.
  ///
  /// ```swift
  /// let settings = ProcessInfo.processInfo.environment
  /// let database = try ReachabilityTarget(host: settings["DB_HOST"] ?? "localhost", port: 5432)
  /// ```
  ///
  /// - Parameters:
  ///   - host: An IPv4 or IPv6 address, with a zone if it needs one, or a host name. An IPv6 address may be in brackets.
  ///   - port: The port.
  ///   - transport: The transport protocol.
  /// - Throws: ``ReachabilityTargetError``, which says what is wrong with the host.
  public init(
    host: String, port: UInt16, transport: Transport = .tcp
  ) throws(ReachabilityTargetError) {
    if host.isEmpty { throw ReachabilityTargetError(.empty, text: host) }
    self = try Self(host: host[...], in: host)
    self.port = port
    self.transport = transport
  }

  /// Parses a target from bytes, of which those of a zone need not be UTF-8.
  package init(bytes: [UInt8]) throws(ReachabilityTargetError) {
    let text = String(decoding: bytes, as: UTF8.self)
    // The zone of a URL is text.
    guard !text.utf8.elementsEqual(bytes), URLParts(text) == nil,
      let mark = bytes.firstIndex(of: UInt8(ascii: "%"))
    else {
      try self.init(text)
      return
    }
    let isBracketed = bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]")
    guard let zone = Interface(bytes: bytes[(mark + 1)...].dropLast(isBracketed ? 1 : 0)) else {
      throw ReachabilityTargetError(.malformedZone, text: text)
    }
    do throws(ReachabilityTargetError) {
      // Any other zone, which text can express.
      try self.init(String(decoding: bytes[...mark], as: UTF8.self) + (isBracketed ? "1]" : "1"))
    } catch {
      throw ReachabilityTargetError(error.code, text: text)
    }
    interface = zone
  }

  /// Parses a URL; errors quote the whole text that the caller passed.
  private init(_ url: URLParts, in text: String) throws(ReachabilityTargetError) {
    guard url.scheme.first?.isLetter == true,
      url.scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
    else {
      throw ReachabilityTargetError(
        .malformedURL, text: text, detail: "a scheme such as 'https' must precede '://'")
    }
    let digits = url.port ?? ""
    let port = digits.hasPrefix("+") ? nil : UInt16(digits)
    guard digits.isEmpty || port != nil else {
      throw ReachabilityTargetError(
        .malformedURL, text: text, detail: "the port is not a number from 0 to 65535")
    }
    guard !url.host.isEmpty else {
      throw ReachabilityTargetError(.malformedURL, text: text, detail: "the host is missing")
    }
    self = try Self(host: url.host, in: text, isURL: true)
    let service = Service(scheme: url.scheme)
    self.port = port ?? service?.port
    transport = service?.transport ?? (self.port == nil ? nil : .tcp)
  }

  /// Parses an address or a name, which stands alone or in a URL.
  private init(host: Substring, in text: String, isURL: Bool = false) throws(ReachabilityTargetError) {
    if host.hasPrefix("["), host.hasSuffix("]") {
      let inside = host.dropFirst().dropLast()
      guard inside.contains(":") else {
        throw ReachabilityTargetError(
          .malformedAddress, text: text, detail: "only an IPv6 address can be in brackets")
      }
      self = try Self(address: inside, in: text, isURL: isURL)
    } else if Self.looksLikeAddress(host) {
      self = try Self(address: host, in: text)
    } else if host.contains("/") {
      throw ReachabilityTargetError(.malformedURL, text: text, detail: "a URL has '://' after its scheme")
    } else {
      do throws(ReachabilityTarget.HostName.Problem) {
        self = .host(try ReachabilityTarget.HostName(checking: host))
      } catch {
        throw ReachabilityTargetError(
          .malformedName, text: text, detail: Self.formWithPort(of: host) ?? error.description)
      }
    }
  }

  /// Parses an address with its zone, if it has one.
  private init(address: Substring, in text: String, isURL: Bool = false) throws(ReachabilityTargetError) {
    let mark = address.firstIndex(of: "%")
    guard let read = ReachabilityAddress(address[..<(mark ?? address.endIndex)]) else {
      throw ReachabilityTargetError(.malformedAddress, text: text, detail: Self.formWithPort(of: address))
    }
    guard let mark else {
      self = .address(read)
      return
    }
    let name = address[address.index(after: mark)...]
    guard read.canHaveZone,
      let zone = (isURL ? Self.zone(inURL: name) : String(name)).flatMap({ Interface($0) })
    else { throw ReachabilityTargetError(.malformedZone, text: text) }
    self = .address(read, zone: zone)
  }

  /// Decodes the text after the percent sign of a zone in a URL; `nil` for a wrong escape.
  private static func zone(inURL text: Substring) -> String? {
    // A common mistake is an unescaped percent sign; then nothing else is escaped.
    guard text.hasPrefix("25") else { return String(text) }
    var bytes: [UInt8] = []
    var rest = text.dropFirst(2).utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
      guard digits.count == 2 else { return nil }
      bytes.append(UInt8(digits[0] << 4 | digits[1]))
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Returns how to write a host with a port behind it; `nil` for other texts.
  private static func formWithPort(of text: Substring) -> String? {
    guard let colon = text.lastIndex(of: ":"), UInt16(text[text.index(after: colon)...]) != nil else {
      return nil
    }
    let host = text[..<colon]
    guard host.hasSuffix("]") ? host.lastIndex(of: "[") == host.startIndex : !host.contains(":"),
      let target = try? ReachabilityTarget("tcp://\(text)"), target.destination != .defaultRoute
    else { return nil }
    return "a target with a port is a URL: tcp://\(text)"
  }

  /// Host names have neither several colons nor only digits and dots.
  private static func looksLikeAddress(_ text: Substring) -> Bool {
    let address = text.prefix { $0 != "%" }
    return address.count { $0 == ":" } > 1 || address == ":"
      || address.utf8.allSatisfy { "0123456789./:".utf8.contains($0) }
  }
}

extension ReachabilityTarget.Interface {
  /// Parses an interface: digits alone are an index, any other valid text is a name.
  ///
  /// Returns `nil` for a text that cannot name an interface: empty, longer than 127 bytes (`ALTIFNAMSIZ`), or with a
  /// zero byte, a slash or white space.
  public init?(_ text: some StringProtocol) {
    self.init(bytes: text.utf8)
  }

  /// Parses an interface as bytes, which need not be UTF-8.
  package init?(bytes: some Collection<UInt8>) {
    let name = InterfaceName(bytes: bytes)
    if bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      guard let index = Int32(name.text), index > 0 else { return nil }
      self = .index(Int(index))
      return
    }
    guard !bytes.contains(where: Self.isForbidden), (1...127).contains(bytes.count) else { return nil }
    self = name.isText ? .name(name.text) : .bytes(Array(bytes))
  }

  /// Alternative names allow more than others: `dev_valid_name` also forbids colons, and `.` and `..`.
  private static func isForbidden(_ byte: UInt8) -> Bool {
    switch byte {
    case 0, 0x09...0x0d, 0x20, UInt8(ascii: "/"): true
    default: false
    }
  }
}

/// An error in the text of a target.
public struct ReachabilityTargetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  ///
  /// A struct, since later versions will add codes: a `switch` needs a `default`.
  public struct Code: RawRepresentable, Hashable, Sendable, CaseIterable {
    private enum Value: String, CaseIterable {
      case empty, malformedAddress, malformedZone, malformedName, malformedURL
    }

    private let value: Value

    private init(value: Value) { self.value = value }

    /// Creates the code with this name, or `nil` if this version knows no such code.
    public init?(rawValue: String) {
      guard let value = Value(rawValue: rawValue) else { return nil }
      self.value = value
    }

    /// The name of the code.
    public var rawValue: String { value.rawValue }

    /// All codes of this version.
    public static var allCases: [Code] { Value.allCases.map { Code(value: $0) } }

    /// The text is empty, for example because a variable is not set.
    public static var empty: Code { Code(value: .empty) }
    /// The text looks like an address, but is not one.
    public static var malformedAddress: Code { Code(value: .malformedAddress) }
    /// The text after `%` cannot be an interface, or the address cannot have a zone.
    public static var malformedZone: Code { Code(value: .malformedZone) }
    /// The text cannot be the name of a host.
    public static var malformedName: Code { Code(value: .malformedName) }
    /// The text looks like a URL, but not like one with a host.
    public static var malformedURL: Code { Code(value: .malformedURL) }
  }

  /// The kind of the error.
  public let code: Code
  /// The invalid text, without possible secrets.
  ///
  /// `…` replaces everything that may be the user information, the query or the fragment of a URL.
  public let text: String
  /// The exact problem in words, if the code does not say it.
  public let detail: String?

  /// Creates an error about a text, of which it keeps only what may be shown.
  public init(_ code: Code, text: String, detail: String? = nil) {
    self.code = code
    self.text = text.redacted
    self.detail = detail
  }

  /// One sentence that says what is wrong.
  public var description: String {
    if code == .empty { return "an empty text is not a target" }
    let problem =
      switch code {
      case .malformedZone:
        "has an invalid zone: it is an interface's name or index, of a link-local or multicast IPv6 address"
      case .malformedName: "is not a host name"
      case .malformedURL: "is not a URL with a host"
      default: "is not an IP address"
      }
    return "'\(text)' \(problem)" + (detail.map { ": \($0)" } ?? "")
  }
}
