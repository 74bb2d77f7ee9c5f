// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension ReachabilityFailure {
  /// The cause of a failed request, as its error names it.
  ///
  /// Later versions will add causes, so this is a struct: a `switch` needs a `default`.
  public struct Cause: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The values of this version, for exhaustive switches in this module.
    enum Value: String, CaseIterable {
      case nameNotFound, noRoute, hostUnreachable, sourceMissing, prohibited, refused, cannotConnect,
        timedOut, connectionLost, insecure, cancelled, unclear, other
    }

    let value: Value

    private init(value: Value) { self.value = value }

    /// Creates the cause with a raw value, or `nil` if this version does not know it.
    public init?(rawValue: String) {
      guard let value = Value(rawValue: rawValue) else { return nil }
      self.value = value
    }

    /// The name of the cause, as in JSON output.
    public var rawValue: String { value.rawValue }

    /// The raw value.
    public var description: String { rawValue }

    /// All causes of this version.
    public static var allCases: [Cause] { Value.allCases.map { Cause(value: $0) } }

    /// The host's name could not be resolved (`cannotFindHost`, `dnsLookupFailed`).
    public static var nameNotFound: Cause { Cause(value: .nameNotFound) }
    /// There was no network, or no route (`notConnectedToInternet`, `ENETUNREACH`, `ENETDOWN`).
    public static var noRoute: Cause { Cause(value: .noRoute) }
    /// The next hop or a router reported the host as unreachable (`EHOSTUNREACH`, `EHOSTDOWN`).
    public static var hostUnreachable: Cause { Cause(value: .hostUnreachable) }
    /// The source address was missing (`EADDRNOTAVAIL`).
    public static var sourceMissing: Cause { Cause(value: .sourceMissing) }
    /// A rule, a route or a firewall of this machine prohibited it (`EACCES`, `EPERM`).
    public static var prohibited: Cause { Cause(value: .prohibited) }
    /// The other end refused the connection (`ECONNREFUSED`).
    public static var refused: Cause { Cause(value: .refused) }
    /// No connection was established, and the error does not say why (`cannotConnectToHost`).
    public static var cannotConnect: Cause { Cause(value: .cannotConnect) }
    /// No answer arrived in time (`timedOut`, `ETIMEDOUT`).
    public static var timedOut: Cause { Cause(value: .timedOut) }
    /// The connection was lost (`networkConnectionLost`, `ECONNRESET`, `EPIPE`).
    public static var connectionLost: Cause { Cause(value: .connectionLost) }
    /// The secure connection failed because of a certificate or of the protocol itself.
    public static var insecure: Cause { Cause(value: .insecure) }
    /// The request was cancelled.
    public static var cancelled: Cause { Cause(value: .cancelled) }
    /// The error does not name a cause.
    public static var unclear: Cause { Cause(value: .unclear) }
    /// The error is not about the network, but for example about a server's answer or a file.
    public static var other: Cause { Cause(value: .other) }
  }
}

// MARK: - The table

extension ReachabilityFailure.Cause {
  /// The steps of an explanation that can fail for this cause.
  ///
  /// Every agreement follows from this table.
  public var steps: Set<ReachabilityExplanation.Step.Kind> {
    switch value {
    case .nameNotFound: [.name, .nameServer, .system]
    // If no packet can leave, the missing route to a name server is the failure that is found first.
    case .noRoute: [.interface, .addresses, .route, .source, .tunnel, .nameServer, .system]
    case .hostUnreachable: [.interface, .route, .nextHop, .tunnel, .system]
    case .sourceMissing: [.interface, .addresses, .source, .system]
    case .prohibited: [.route, .ipsec, .system]
    case .cannotConnect: [.interface, .addresses, .route, .nextHop, .source, .tunnel, .traffic, .system]
    case .connectionLost:
      [.interface, .addresses, .route, .nextHop, .source, .tunnel, .nameServer, .traffic, .system]
    case .timedOut, .unclear: Set(ReachabilityExplanation.Step.Kind.allCases)
    case .refused, .insecure, .cancelled, .other: []
    }
  }

  /// Creates the cause that an error number stands for.
  ///
  /// - Parameter errorNumber: An error number of this system, as in `errno`.
  public init(errorNumber: Int32) {
    self =
      switch POSIXErrorCode(rawValue: errorNumber) {
      case .ENETUNREACH, .ENETDOWN, .EAFNOSUPPORT: .noRoute
      case .EHOSTUNREACH, .EHOSTDOWN: .hostUnreachable
      case .EADDRNOTAVAIL: .sourceMissing
      case .EACCES, .EPERM: .prohibited
      case .ECONNREFUSED: .refused
      case .ETIMEDOUT: .timedOut
      case .ECONNRESET, .ECONNABORTED, .ENETRESET, .EPIPE, .ENOTCONN: .connectionLost
      case .ECANCELED: .cancelled
      default: .other
      }
  }

  /// Creates the cause that a code of `URLError` stands for.
  public init(_ code: URLError.Code) {
    self =
      switch code {
      case .cannotFindHost, .dnsLookupFailed: .nameNotFound
      case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed: .noRoute
      case .cannotConnectToHost: .cannotConnect
      case .timedOut: .timedOut
      case .networkConnectionLost: .connectionLost
      case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
        .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
        .insecure
      case .cancelled, .userCancelledAuthentication: .cancelled
      case .unknown: .unclear
      default: .other
      }
  }

  /// Creates the cause of an error of URL sessions, POSIX or Core Foundation, or of an error below one of these.
  public init(_ error: any Error) {
    self =
      Self.causes(of: error, depth: 0).first { !$0.isVague } ?? Self.causes(of: error, depth: 0).first
      ?? .other
  }

  /// Whether an error below this one may name a more precise cause.
  private var isVague: Bool { [.cannotConnect, .unclear, .other].contains(self) }

  /// The causes of an error and of those below it, from the outermost inwards.
  private static func causes(of error: any Error, depth: Int) -> [ReachabilityFailure.Cause] {
    // An error can contain itself.
    guard depth < 8 else { return [] }
    if error.isCancellation { return [.cancelled] }
    if let error = error as? ReachabilityMonitorError {
      return [error.code == .timedOut ? .timedOut : .unclear]
    }
    if let error = error as? POSIXError {
      return [ReachabilityFailure.Cause(errorNumber: error.code.rawValue)]
    }
    let general = error as NSError
    var causes: [ReachabilityFailure.Cause] = []
    switch general.domain {
    case NSPOSIXErrorDomain:
      causes.append(ReachabilityFailure.Cause(errorNumber: Int32(clamping: general.code)))
    case NSURLErrorDomain, "kCFErrorDomainCFNetwork":
      // Core Foundation's own codes for hosts are 1 and 2; its other codes are those of URL sessions.
      let isOfHost = general.domain != NSURLErrorDomain && (1...2).contains(general.code)
      var cause =
        isOfHost
        ? .nameNotFound
        : (URLError.Code(rawValue: general.code) as URLError.Code?).map { ReachabilityFailure.Cause($0) }
          ?? .other
      // On Linux only libcurl's text reveals these.
      if cause == .unclear, general.isOfTLS { cause = .insecure }
      causes.append(cause)
      // 1 is the domain of error numbers, `kCFStreamErrorDomainPOSIX`, and 12 that of names,
      // `kCFStreamErrorDomainNetDB`.
      let domain = general.userInfo["_kCFStreamErrorDomainKey"] as? Int
      if domain == 1, let number = general.userInfo["_kCFStreamErrorCodeKey"] as? Int {
        causes.append(ReachabilityFailure.Cause(errorNumber: Int32(clamping: number)))
      } else if domain == 12 {
        causes.append(.nameNotFound)
      }
    default: causes.append(.other)
    }
    if let below = general.userInfo[NSUnderlyingErrorKey] as? any Error {
      causes += Self.causes(of: below, depth: depth + 1)
    }
    return causes
  }
}

extension NSError {
  /// Whether the text is one of libcurl's about TLS.
  ///
  /// Only its beginning counts: host names appear later in the text.
  fileprivate var isOfTLS: Bool { Self.beginningsOfTLS.contains { localizedDescription.hasPrefix($0) } }

  /// The beginnings of libcurl's texts about TLS, its own and those of OpenSSL and GnuTLS that it forwards.
  private static let beginningsOfTLS = [
    "SSL ", "SSL: ", "SSL_", "TLS ", "OpenSSL", "error:", "gnutls_", "server certificate verification failed",
    "server verification failed", "error setting certificate", "Problem with the local SSL certificate",
    "Problem with the SSL CA cert", "Couldn't use specified SSL cipher", "Requested SSL level failed",
    "Failed to initialise SSL crypto engine", "Issuer check against peer certificate failed",
  ]
}
