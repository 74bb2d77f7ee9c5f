/// Why a text is not a target.
public struct ReachabilityTargetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of mistake.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// A word for the kind of mistake.
    public let rawValue: String

    /// Makes a code from its word.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// There is no text, as where a variable is not set.
    public static var empty: Code { Code(rawValue: "empty") }
    /// The text looks like an address, but is none.
    public static var malformedAddress: Code { Code(rawValue: "malformedAddress") }
    /// The text after `%` can't be an interface, or the address can't have a zone.
    public static var malformedZone: Code { Code(rawValue: "malformedZone") }
    /// The text can't be the name of a host.
    public static var malformedName: Code { Code(rawValue: "malformedName") }
    /// The text looks like a URL, but none with a host.
    public static var malformedURL: Code { Code(rawValue: "malformedURL") }
  }

  /// The kind of mistake.
  public let code: Code
  /// The text that is not a target, without what may be secret: `…` replaces all that may be the user information, the
  /// query or the fragment of a URL.
  public let text: String
  /// What exactly is wrong, in words, where there is more to say than the code does.
  public let detail: String?

  /// Makes an error about a text, of which it keeps only what may be shown.
  public init(_ code: Code, text: String, detail: String? = nil) {
    self.code = code
    self.text = text.redacted
    self.detail = detail
  }

  /// One sentence of what is wrong.
  public var description: String {
    if code == .empty { return "an empty text is not a target" }
    let problem =
      switch code {
      case .malformedZone:
        "has a zone that can't be: it is an interface's name or index, of a link-local or multicast IPv6 address"
      case .malformedName: "is not a host name"
      case .malformedURL: "is not a URL with a host"
      default: "is not an IP address"
      }
    return "'\(text)' \(problem)" + (detail.map { ": \($0)" } ?? "")
  }
}
