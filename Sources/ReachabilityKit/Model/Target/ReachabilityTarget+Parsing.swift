extension ReachabilityTarget {
  /// Reads a target: `default`, an IPv4 or IPv6 address, an address with a zone, a host name or a URL.
  ///
  /// `0.0.0.0` and `::` mean the default route. A zone is an interface's name or index (`fe80::1%eth0`, `fe80::1%2`),
  /// behind a link-local address, or a multicast address from interface-local to site-local scope. Brackets may stand
  /// around an IPv6 address.
  ///
  /// A URL gives the host, the ``transport`` and the ``port``; all else in it is ignored. `https://example.com` is TCP
  /// port 443, `tcp://example.com:22` and `udp://example.com:53` are what they say. A port in the URL takes precedence
  /// over the port of its scheme. Of a scheme that is not known, a URL with a port is a TCP target, and a URL without a
  /// port is a target without a port. In a URL, `%25` stands before a zone, which may be escaped
  /// (`http://[fe80::1%25eth0]/`, RFC 6874); a single `%` is accepted too, unless `25` follows it.
  ///
  /// - Throws: ``ReachabilityTargetError`` that says what is wrong with the text. An empty text is an error, so that a variable that
  ///   is not set does not become the default route.
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

  /// Reads a URL; errors speak of the whole text, since that is what was written.
  private init(_ url: URLParts, in text: String) throws(ReachabilityTargetError) {
    guard url.scheme.first?.isLetter == true,
      url.scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
    else {
      throw ReachabilityTargetError(
        .malformedURL, text: text, detail: "a scheme such as 'https' stands before '://'")
    }
    let digits = url.port ?? ""
    let port = digits.hasPrefix("+") ? nil : UInt16(digits)
    guard digits.isEmpty || port != nil else {
      throw ReachabilityTargetError(
        .malformedURL, text: text, detail: "the port is no number from 0 to 65535")
    }
    guard !url.host.isEmpty else {
      throw ReachabilityTargetError(.malformedURL, text: text, detail: "the host is missing")
    }
    self = try Self(host: url.host, in: text, isURL: true)
    let service = Service(scheme: url.scheme)
    self.port = port ?? service?.port
    transport = service?.transport ?? (self.port == nil ? nil : .tcp)
  }

  /// Reads an address or a name, as it stands alone or in a URL.
  private init(host: Substring, in text: String, isURL: Bool = false) throws(ReachabilityTargetError) {
    if host.hasPrefix("["), host.hasSuffix("]") {
      let inside = host.dropFirst().dropLast()
      guard inside.contains(":") else {
        throw ReachabilityTargetError(
          .malformedAddress, text: text, detail: "only an IPv6 address stands in brackets")
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

  /// Reads an address with its zone, if it has one.
  private init(address: Substring, in text: String, isURL: Bool = false) throws(ReachabilityTargetError) {
    let mark = address.firstIndex(of: "%")
    guard let read = IPAddress(address[..<(mark ?? address.endIndex)]) else {
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

  /// Reads what stands behind the percent sign of a zone in a URL; `nil` for a wrong escape.
  private static func zone(inURL text: Substring) -> String? {
    // A percent sign that is not escaped is a mistake that many make; nothing else is escaped then.
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

  /// Says how a host with a port behind it is written; `nil` for other texts.
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
  /// Reads an interface: digits only are an index, all else that an interface may be called is a name.
  ///
  /// Returns `nil` for what no interface can be called: nothing, more than 127 bytes (`ALTIFNAMSIZ`), and text with a
  /// zero, a slash or white space.
  public init?(_ text: some StringProtocol) {
    let name = String(text)
    if name.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      guard let index = Int32(name), index > 0 else { return nil }
      self = .index(Int(index))
      return
    }
    guard !name.utf8.contains(where: Self.isForbidden), (1...127).contains(name.utf8.count) else {
      return nil
    }
    self = .name(name)
  }

  /// Alternative names may be more than others: `dev_valid_name` forbids colons too, and `.` and `..`.
  private static func isForbidden(_ byte: UInt8) -> Bool {
    switch byte {
    case 0, 0x09...0x0d, 0x20, UInt8(ascii: "/"): true
    default: false
    }
  }
}
