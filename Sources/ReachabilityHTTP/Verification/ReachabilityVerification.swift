public import Foundation

/// What is to be verified: that somebody answers as expected, and not only that packets can leave this machine.
///
/// It is up to you whom to ask; no address is built in, and nothing is sent unless you verify.
///
/// ```swift
/// let verification = Verification([.url(page, expecting: .status(204)), .connection(to: server, port: 22)], .any)
/// let report = try await monitor.verify(verification)
/// ```
public struct ReachabilityVerification: Sendable {
  /// How many of the endpoints have to be as expected.
  public enum Threshold: Hashable, Sendable {
    /// One; verifying ends at the first that is.
    case any
    /// All; verifying ends at the first that is not, so that a portal which another one would have met may not be seen.
    case all
    /// At least this share of them, from 0 to 1, but at least one; what lies outside is taken as the nearest of the two, and
    /// what is no number as 1.
    case share(of: Double)
  }

  /// Whom to ask, and what to expect.
  public var endpoints: [Endpoint]
  /// How many of them have to be as expected.
  public var threshold: Threshold
  /// How long each attempt may take: the look-up of a name, connecting, and the answer.
  public var timeout: Duration
  /// Where the network says by itself whether it holds its users captive, if that is known; it is asked first.
  ///
  /// The network tells this address to those who join it, by DHCP or in router advertisements (RFC 8910); asking for it there is the
  /// business of whoever configures the network. It is an `https` address; `http` is taken too, but then anybody
  /// on the way can answer. The address `urn:ietf:params:capport:unrestricted` says that there is no portal, and nobody is asked. The interface is
  /// that of RFC 8908.
  public var portalAPI: URL?

  /// Makes a verification.
  public init(
    _ endpoints: [Endpoint], _ threshold: Threshold = .all, timeout: Duration = .seconds(10),
    portalAPI: URL? = nil
  ) {
    self.endpoints = endpoints
    self.threshold = threshold
    self.timeout = timeout
    self.portalAPI = portalAPI
  }
}
