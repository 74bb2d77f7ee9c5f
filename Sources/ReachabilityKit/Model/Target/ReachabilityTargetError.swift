/// An error in the text of a target.
public struct ReachabilityTargetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The name of the code.
    public let rawValue: String

    /// Creates a code from its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The text is empty, for example because a variable is not set.
    public static var empty: Code { Code(rawValue: "empty") }
    /// The text looks like an address, but is not one.
    public static var malformedAddress: Code { Code(rawValue: "malformedAddress") }
    /// The text after `%` cannot be an interface, or the address cannot have a zone.
    public static var malformedZone: Code { Code(rawValue: "malformedZone") }
    /// The text cannot be the name of a host.
    public static var malformedName: Code { Code(rawValue: "malformedName") }
    /// The text looks like a URL, but not like one with a host.
    public static var malformedURL: Code { Code(rawValue: "malformedURL") }
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
