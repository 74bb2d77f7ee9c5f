// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import ReachabilityKit

/// The endpoints to contact, and the answers to expect from them.
///
/// Reachability says whether packets can leave this machine. A verification goes further: it contacts endpoints of
/// your choice and judges their answers. No address is built in, and nothing is sent unless you verify.
///
/// ```swift
/// let verification = ReachabilityVerification(
///   [
///     .url(URL(string: "http://probe.example/ready")!, expecting: .status(204)),
///     .connection(to: .address("192.0.2.1"), port: 22),
///   ], .any)
/// let report = try await ReachabilityMonitor.shared.verify(verification)
/// ```
public struct ReachabilityVerification: Sendable {
  /// The number of endpoints that have to answer as expected.
  public enum Threshold: Hashable, Sendable {
    /// One; the verification ends at the first endpoint that does.
    case any
    /// All; the verification ends at the first endpoint that does not.
    ///
    /// A portal that another endpoint would have met may then go unnoticed.
    case all
    /// At least this share of them, from 0 to 1, and at least one endpoint.
    ///
    /// Values outside are clamped, and NaN counts as 1.
    case share(of: Double)
  }

  /// Where a network answers whether it has a captive portal (RFC 8908).
  public enum PortalAPI: Hashable, Sendable {
    /// The address that the network announces (RFC 8910) on the interface that the path prefers; no query if it announces none.
    ///
    /// The address is `ReachabilityPath.Interface.captivePortalAPI`: an `https` URL, or the statement that there is no portal.
    case announced
    /// An address that is known otherwise.
    ///
    /// It should be an `https` URL; with `http` anyone on the path can answer. The address `urn:ietf:params:capport:unrestricted`
    /// means that there is no portal, and causes no request.
    case url(URL)
  }

  /// The endpoints to contact, with the answers to expect.
  public var endpoints: [Endpoint]
  /// The number of endpoints that have to answer as expected.
  public var threshold: Threshold
  /// The time limit of each attempt: the lookup of a name, the connection, and the answer.
  public var timeout: Duration
  /// The network's captive portal API (RFC 8908), if it is to be queried before the endpoints.
  public var portalAPI: PortalAPI?

  /// Creates a verification.
  public init(
    _ endpoints: [Endpoint], _ threshold: Threshold = .all, timeout: Duration = .seconds(10),
    portalAPI: PortalAPI? = nil
  ) {
    self.endpoints = endpoints
    self.threshold = threshold
    self.timeout = timeout
    self.portalAPI = portalAPI
  }
}

extension ReachabilityVerification {
  /// Two results side by side: the path that packets would take, and the report of the last verification.
  ///
  /// Neither implies the other: a path may be satisfied while no endpoint answers, and endpoints that need no default
  /// route may answer.
  public struct VerifiedStatus: Hashable, Sendable {
    /// The current path.
    public var path: ReachabilityPath
    /// The report of the last verification; `nil` before the first one completes.
    public var report: ReachabilityVerification.Report?
    /// Whether the report describes the current network; `false` from a change until the next verification completes.
    public var isCurrent: Bool

    /// Creates a status.
    public init(
      path: ReachabilityPath, report: ReachabilityVerification.Report? = nil, isCurrent: Bool = false
    ) {
      self.path = path
      self.report = report
      self.isCurrent = isCurrent && report != nil
    }

    /// The state of the report if it is current, otherwise unknown.
    public var state: ReachabilityVerification.Report.State {
      guard isCurrent, let report else { return .unknown }
      return report.state
    }
  }
}

extension ReachabilityVerification.VerifiedStatus: CustomStringConvertible {
  /// One line, for example `verified; path satisfied eth0 (wired) via 10.1.0.254, ipv4, dns`.
  public var description: String { "\(state); path \(path)" }
}
