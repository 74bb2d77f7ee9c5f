extension Target {
  /// Reads a target: `default`, an IPv4 or IPv6 address, a link-local address with its zone, a host name or a URL.
  ///
  /// `0.0.0.0`, `::` and the empty text mean the default route. A zone is an interface's name or index
  /// (`fe80::1%eth0`, `fe80::1%2`). Brackets may stand around an IPv6 address.
  ///
  /// A URL gives the host, the ``transport`` and the ``port``; all else in it is ignored. `https://example.com` is TCP
  /// port 443, `tcp://example.com:22` and `udp://example.com:53` are what they say. A port in the URL takes precedence
  /// over the port of its scheme. Of a scheme that is not known, a URL with a port is a TCP target, and a URL without a
  /// port is a target without a port.
  ///
  /// - Throws: ``TargetError`` that says what is wrong with the text.
  public init(_ text: String) throws(TargetError) {
    if text.isEmpty || text == "default" {
      self = .defaultRoute
    } else if let separator = Self.schemeSeparator(in: text) {
      let authority = try Self.authority(of: text, after: separator)
      // Errors speak of the whole text, since that is what was written.
      self = try Self(host: authority.host, in: text)
      let service = Service(scheme: text[..<separator.lowerBound])
      port = authority.port ?? service?.port
      transport = service?.transport ?? (port == nil ? nil : .tcp)
    } else {
      self = try Self(host: text[...], in: text)
    }
  }

  /// Reads an address or a name, as it stands alone or in a URL.
  private init(host: Substring, in text: String) throws(TargetError) {
    if host.hasPrefix("["), host.hasSuffix("]") {
      let inside = host.dropFirst().dropLast()
      guard inside.contains(":") else {
        throw TargetError(.malformedAddress, text: text, detail: "only an IPv6 address stands in brackets")
      }
      self = try Self(address: inside, in: text)
    } else if Self.looksLikeAddress(host) {
      self = try Self(address: host, in: text)
    } else if host.contains("/") {
      throw TargetError(.malformedURL, text: text, detail: "a URL has '://' after its scheme")
    } else {
      do throws(HostName.Problem) {
        self = .host(try HostName(checking: host))
      } catch {
        throw TargetError(
          .malformedName, text: text, detail: Self.formWithPort(of: host) ?? error.description)
      }
    }
  }

  /// Reads an address with its zone, if it has one.
  private init(address: Substring, in text: String) throws(TargetError) {
    let mark = address.firstIndex(of: "%")
    guard let read = IPAddress(address[..<(mark ?? address.endIndex)]) else {
      throw TargetError(.malformedAddress, text: text, detail: Self.formWithPort(of: address))
    }
    guard let mark else {
      self = .address(read)
      return
    }
    guard read.needsZone, let zone = Interface(address[address.index(after: mark)...]) else {
      throw TargetError(.malformedZone, text: text)
    }
    self = .address(read, zone: zone)
  }

  /// Returns where the first `://` stands.
  ///
  /// Not `firstRange(of:)`, for whose sake a self-contained program gets all of the standard library's regular
  /// expressions: a third more of everything that is looked through when it starts.
  private static func schemeSeparator(in text: String) -> Range<String.Index>? {
    var rest = text[...]
    while let colon = rest.firstIndex(of: ":") {
      if rest[colon...].starts(with: "://") { return colon..<rest.index(colon, offsetBy: 3) }
      rest = rest[rest.index(after: colon)...]
    }
    return nil
  }

  /// Says how a host with a port behind it is written; `nil` for other texts.
  private static func formWithPort(of text: Substring) -> String? {
    guard let colon = text.lastIndex(of: ":"), UInt16(text[text.index(after: colon)...]) != nil else {
      return nil
    }
    let host = text[..<colon]
    guard host.hasSuffix("]") ? host.lastIndex(of: "[") == host.startIndex : !host.contains(":"),
      let target = try? Target("tcp://\(text)"), target.destination != .defaultRoute
    else { return nil }
    return "a target with a port is a URL: tcp://\(text)"
  }

  /// Returns a URL's host and port: what stands between `://`, or the `@` after a user's name, and the path (RFC 3986).
  private static func authority(
    of text: String, after separator: Range<String.Index>
  ) throws(TargetError) -> (host: Substring, port: UInt16?) {
    let scheme = text[..<separator.lowerBound]
    guard scheme.first?.isLetter == true,
      scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
    else {
      throw TargetError(.malformedURL, text: text, detail: "a scheme such as 'https' stands before '://'")
    }
    var port: UInt16?
    var authority = text[separator.upperBound...].prefix { !"/?#".contains($0) }
    if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
    // The last colon parts the port, unless it is one of an IPv6 address in its brackets.
    if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
      let digits = authority[authority.index(after: colon)...]
      port = digits.hasPrefix("+") ? nil : UInt16(digits)
      guard digits.isEmpty || port != nil else {
        throw TargetError(.malformedURL, text: text, detail: "'\(digits)' is no port from 0 to 65535")
      }
      authority = authority[..<colon]
    }
    guard !authority.isEmpty else {
      throw TargetError(.malformedURL, text: text, detail: "the host is missing")
    }
    return (authority, port)
  }

  /// Host names have neither several colons nor only digits and dots.
  private static func looksLikeAddress(_ text: Substring) -> Bool {
    let address = text.prefix { $0 != "%" }
    return address.count { $0 == ":" } > 1 || address == ":"
      || address.utf8.allSatisfy { "0123456789./:".utf8.contains($0) }
  }
}

extension Target.Interface {
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
