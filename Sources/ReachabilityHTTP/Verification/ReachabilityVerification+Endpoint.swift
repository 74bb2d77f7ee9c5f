// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import ReachabilityKit

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension ReachabilityVerification {
  /// A server to contact, and the answer to expect.
  public struct Endpoint: Sendable {
    enum Kind: Sendable {
      case connection(ReachabilityTarget, port: UInt16)
      case request(URLRequest, ReachabilityVerification.Expectation)
    }

    var kind: Kind

    /// Expects that a TCP connection can be established.
    ///
    /// It is closed immediately. The addresses of a host are tried as by
    /// `ReachabilityMonitor.connect(to:port:timeout:attemptDelay:)` (RFC 8305).
    ///
    /// - Parameters:
    ///   - target: An address or a host.
    ///   - port: The port, from 1.
    public static func connection(to target: ReachabilityTarget, port: UInt16) -> Endpoint {
      Endpoint(kind: .connection(target, port: port))
    }

    /// Expects an answer to an HTTP request.
    ///
    /// Redirects are not followed, caches are not used, and cookies are neither sent nor kept. Interim answers (103
    /// and others) are skipped. A request is rejected if its body is a stream, which can be read only once, or if a
    /// header field contains a line break.
    ///
    /// - Parameters:
    ///   - request: The request to send; its own time limit is ignored.
    ///   - expectation: The expectation for the answer.
    public static func request(
      _ request: URLRequest, expecting expectation: ReachabilityVerification.Expectation = .success
    )
      -> Endpoint
    {
      Endpoint(kind: .request(request, expectation))
    }

    /// Expects an answer to a `GET` request for an `http` or `https` URL.
    public static func url(_ url: URL, expecting expectation: ReachabilityVerification.Expectation = .success)
      -> Endpoint
    {
      .request(URLRequest(url: url), expecting: expectation)
    }
  }
}

extension ReachabilityVerification.Endpoint: CustomStringConvertible {
  /// The URL without user information, query and fragment, which may be secret.
  ///
  /// For example `https://example.com/` or `tcp://10.9.0.1:22`.
  public var description: String {
    switch kind {
    case .connection(let target, let port): target.connecting(to: port).description
    case .request(let request, _):
      request.url?.absoluteString.withoutSecrets ?? "a request without a URL"
    }
  }

  /// The target that packets go to: the host, or a proxy; `nil` if the URL has none.
  package var target: ReachabilityTarget? {
    switch kind {
    case .connection(let target, let port): target.connecting(to: port)
    case .request(let request, _): request.url.flatMap { ReachabilityTarget($0) }
    }
  }
}

extension ReachabilityVerification {
  /// The answer of a network's captive portal API: the JSON object of RFC 8908, section 5.
  public struct CaptivePortal: Hashable, Sendable {
    /// Whether the user has to act before this machine may use the network.
    ///
    /// The key is `captive`.
    public var isCaptive: Bool
    /// The page on which the user acts.
    ///
    /// The key is `user-portal-url`.
    public var userPortalURL: URL?
    /// A page about the venue.
    ///
    /// The key is `venue-info-url`.
    public var venueInformationURL: URL?
    /// Whether the user can extend the session on the page.
    ///
    /// The key is `can-extend-session`.
    public var canExtendSession: Bool?
    /// The time for which the network may still be used.
    ///
    /// The key is `seconds-remaining`.
    public var remainingTime: Duration?
    /// The number of bytes that may still be sent and received.
    ///
    /// The key is `bytes-remaining`.
    public var remainingBytes: Int?

    /// Creates an answer.
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
  /// The media type of the answer (RFC 8908, section 4.2).
  static let mediaType = "application/captive+json"

  /// Reads an answer; `nil` unless it has a valid member `captive`.
  ///
  /// Other members with invalid values are ignored, as are addresses that are not web URLs.
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
