/// Why a text is not a target.
public struct TargetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of mistake.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// A word for the kind of mistake.
    public let rawValue: String

    /// Makes a code from its word.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The text looks like an address, but is none.
    public static var malformedAddress: Code { Code(rawValue: "malformedAddress") }
    /// The text after `%` can't be an interface, or the address can't have a zone.
    public static var malformedZone: Code { Code(rawValue: "malformedZone") }
    /// The text is a host name; these can't be looked up yet.
    public static var hostNamesNotSupported: Code { Code(rawValue: "hostNamesNotSupported") }
  }

  /// The kind of mistake.
  public let code: Code
  /// The text that is not a target.
  public let text: String

  /// Makes an error about a text.
  public init(_ code: Code, text: String) {
    self.code = code
    self.text = text
  }

  /// One sentence of what is wrong.
  public var description: String {
    switch code {
    case .malformedZone:
      "'\(text)' has a zone that can't be: it is an interface's name or index, of a link-local IPv6 address"
    case .hostNamesNotSupported: "'\(text)' is a host name; host names are not supported yet"
    default: "'\(text)' is not an IP address"
    }
  }
}

extension Target {
  /// Reads a target: `default`, an IPv4 or IPv6 address, or a link-local address with its zone.
  ///
  /// `0.0.0.0`, `::` and the empty text mean the default route. A zone is an interface's name or index
  /// (`fe80::1%eth0`, `fe80::1%2`).
  ///
  /// - Throws: ``TargetError`` that says what is wrong with the text.
  public init(_ text: String) throws(TargetError) {
    if text.isEmpty || text == "default" {
      self = .defaultRoute
      return
    }
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(parts[0]) else {
      throw TargetError(Self.looksLikeAddress(text) ? .malformedAddress : .hostNamesNotSupported, text: text)
    }
    guard parts.count == 2 else {
      self = .address(address)
      return
    }
    guard address.needsZone, let zone = Interface(parts[1]) else {
      throw TargetError(.malformedZone, text: text)
    }
    self = .address(address, zone: zone)
  }

  /// Host names have neither colons nor only digits and dots.
  private static func looksLikeAddress(_ text: String) -> Bool {
    text.contains(":") || text.utf8.allSatisfy { "0123456789.%/".utf8.contains($0) }
  }
}

extension Target.Interface {
  /// Reads an interface: digits only are an index, all else that the kernel allows is a name.
  ///
  /// Returns `nil` for what no interface can be called: nothing, more than 15 bytes, `.`, `..`, and text with `/`,
  /// `:` or white space.
  public init?(_ text: some StringProtocol) {
    let name = String(text)
    if name.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      guard let index = Int32(name), index > 0 else { return nil }
      self = .index(Int(index))
      return
    }
    let isAllowed = name.unicodeScalars.allSatisfy { $0 != "/" && $0 != ":" && !$0.properties.isWhitespace }
    guard isAllowed, (1...15).contains(name.utf8.count), name != ".", name != ".." else { return nil }
    self = .name(name)
  }
}
