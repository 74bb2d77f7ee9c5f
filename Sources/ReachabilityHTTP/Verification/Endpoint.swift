public import Foundation
public import ReachabilityKit

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension ReachabilityVerification {
  /// Whom to ask, and what to expect.
  public struct Endpoint: Sendable {
    package enum Kind: Sendable {
      case connection(ReachabilityTarget, port: UInt16)
      case request(URLRequest, ReachabilityVerification.Expectation)
    }

    package var kind: Kind

    /// Expects that a TCP connection comes about, which is closed at once.
    ///
    /// The addresses of a host are tried as `ReachabilityMonitor.connect(to:port:timeout:attemptDelay:)` does it (RFC 8305).
    ///
    /// - Parameters:
    ///   - target: An address or a host.
    ///   - port: The port, from 1.
    public static func connection(to target: ReachabilityTarget, port: UInt16) -> Endpoint {
      Endpoint(kind: .connection(target, port: port))
    }

    /// Expects an answer to a request of HTTP.
    ///
    /// Redirects are not followed, nothing is taken from a cache, and no cookie is sent or kept. Interim answers (103 and others) are
    /// skipped. A body that is a stream is refused, since it can be read only once; so is a header field with a line break.
    ///
    /// - Parameters:
    ///   - request: What to send; its own time limit does not count.
    ///   - expectation: What to expect of the answer.
    public static func request(
      _ request: URLRequest, expecting expectation: ReachabilityVerification.Expectation = .success
    )
      -> Endpoint
    {
      Endpoint(kind: .request(request, expectation))
    }

    /// Expects an answer to the request for an `http` or `https` address.
    public static func url(_ url: URL, expecting expectation: ReachabilityVerification.Expectation = .success)
      -> Endpoint
    {
      .request(URLRequest(url: url), expecting: expectation)
    }
  }
}

extension ReachabilityVerification.Endpoint: CustomStringConvertible {
  /// The address without user information, query and fragment, which may be secret, such as `https://example.com/` or
  /// `tcp://10.9.0.1:22`.
  public var description: String {
    switch kind {
    case .connection(let target, let port): target.connecting(to: port).description
    case .request(let request, _):
      request.url?.absoluteString.withoutSecrets ?? "a request without an address"
    }
  }

  /// What has to be reachable for it, a proxy where it goes by one; `nil` if that can't be told.
  package var target: ReachabilityTarget? {
    switch kind {
    case .connection(let target, let port): target.connecting(to: port)
    case .request(let request, _): request.url.flatMap(ReachabilityTarget.init(ofRequestsTo:))
    }
  }
}
