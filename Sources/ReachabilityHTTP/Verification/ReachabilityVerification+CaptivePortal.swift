public import Foundation

extension ReachabilityVerification {
  /// What a network says of its captive portal: the JSON object of RFC 8908, section 5.
  public struct CaptivePortal: Hashable, Sendable {
    /// Whether the user has to do something before this machine may use the network.
    ///
    /// The key is `captive`.
    public var isCaptive: Bool
    /// The page for the user.
    ///
    /// The key is `user-portal-url`.
    public var userPortalURL: URL?
    /// A page about the place.
    ///
    /// The key is `venue-info-url`.
    public var venueInformationURL: URL?
    /// Whether the page helps to stay longer.
    ///
    /// The key is `can-extend-session`.
    public var canExtendSession: Bool?
    /// How long the network may still be used.
    ///
    /// The key is `seconds-remaining`.
    public var remainingTime: Duration?
    /// How many bytes may still be sent and received.
    ///
    /// The key is `bytes-remaining`.
    public var remainingBytes: Int?

    /// Makes an answer.
    public init(
      isCaptive: Bool, userPortalURL: URL? = nil, venueInformationURL: URL? = nil,
      canExtendSession: Bool? = nil, remainingTime: Duration? = nil, remainingBytes: Int? = nil
    ) {
      self.isCaptive = isCaptive
      self.userPortalURL = userPortalURL
      self.venueInformationURL = venueInformationURL
      self.canExtendSession = canExtendSession
      self.remainingTime = remainingTime
      self.remainingBytes = remainingBytes
    }
  }
}

extension ReachabilityVerification.CaptivePortal {
  /// The type of such an answer (RFC 8908, section 4.2).
  package static let mediaType = "application/captive+json"

  /// Reads an answer; `nil` if it is none.
  ///
  /// What is wrong but does not decide is left away, as are addresses that are not for browsers.
  package init?(json: Data) {
    guard let content = try? JSONDecoder().decode(Content.self, from: json) else { return nil }
    self = content.portal
  }

  private struct Content: Decodable {
    let portal: ReachabilityVerification.CaptivePortal

    enum Key: String, CodingKey {
      case captive
      case userPortal = "user-portal-url"
      case venue = "venue-info-url"
      case canExtend = "can-extend-session"
      case seconds = "seconds-remaining"
      case bytes = "bytes-remaining"
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      func value<Value: Decodable>(_ key: Key) -> Value? { try? values.decode(Value.self, forKey: key) }
      let seconds: Int? = value(.seconds)
      let bytes: Int? = value(.bytes)
      portal = ReachabilityVerification.CaptivePortal(
        isCaptive: try values.decode(Bool.self, forKey: .captive),
        userPortalURL: value(.userPortal).flatMap(URL.init(forBrowsers:)),
        venueInformationURL: value(.venue).flatMap(URL.init(forBrowsers:)),
        canExtendSession: value(.canExtend),
        remainingTime: seconds.flatMap { $0 >= 0 ? .seconds($0) : nil },
        remainingBytes: bytes.flatMap { $0 >= 0 ? $0 : nil })
    }
  }
}

extension URL {
  /// Reads an address of a page, perhaps relative to another address; `nil` for what is none, such as a script.
  package init?(forBrowsers text: String) {
    self.init(forBrowsers: text, relativeTo: nil)
  }

  /// Reads an address of a page, perhaps relative to another address; `nil` for what is none, such as a script.
  package init?(forBrowsers text: String, relativeTo base: URL?) {
    guard let url = URL(string: text, relativeTo: base)?.absoluteURL, url.isForBrowsers else { return nil }
    self = url
  }

  /// Whether it is of HTTP, and has a host.
  package var isForBrowsers: Bool {
    ["http", "https"].contains(scheme?.lowercased()) && host()?.isEmpty == false
  }
}
