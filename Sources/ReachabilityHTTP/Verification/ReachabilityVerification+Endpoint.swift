public import Foundation
public import ReachabilityKit

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension ReachabilityVerification {
  /// A server to contact, and the answer to expect.
  public struct Endpoint: Sendable {
    package enum Kind: Sendable {
      case connection(ReachabilityTarget, port: UInt16)
      case request(URLRequest, ReachabilityVerification.Expectation)
    }

    package var kind: Kind

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
    case .request(let request, _): request.url.flatMap(ReachabilityTarget.init(ofRequestsTo:))
    }
  }
}
