public import Foundation

extension ReachabilityFailure {
  /// What an error says went wrong, in the words of networks.
  ///
  /// A struct, since later versions will add causes: a `switch` needs a `default`.
  public struct Cause: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The values of this version, which code in this module switches over exhaustively.
    enum Value: String, CaseIterable {
      case nameNotFound, noRoute, hostUnreachable, sourceMissing, prohibited, refused, cannotConnect,
        timedOut, connectionLost, insecure, cancelled, unclear, other
    }

    let value: Value

    private init(value: Value) { self.value = value }

    /// Creates the value that a raw value names, or `nil` if this version knows no such value.
    public init?(rawValue: String) {
      guard let value = Value(rawValue: rawValue) else { return nil }
      self.value = value
    }

    /// The name of the value, as JSON output shows it.
    public var rawValue: String { value.rawValue }

    /// The raw value.
    public var description: String { rawValue }

    /// All values of this version.
    public static var allCases: [Cause] { Value.allCases.map { Cause(value: $0) } }

    /// The host's name could not be looked up (`cannotFindHost`, `dnsLookupFailed`).
    public static var nameNotFound: Cause { Cause(value: .nameNotFound) }
    /// There was no network, or no route (`notConnectedToInternet`, `ENETUNREACH`, `ENETDOWN`).
    public static var noRoute: Cause { Cause(value: .noRoute) }
    /// The next hop or a router said that the host can't be reached (`EHOSTUNREACH`, `EHOSTDOWN`).
    public static var hostUnreachable: Cause { Cause(value: .hostUnreachable) }
    /// The local address was missing (`EADDRNOTAVAIL`).
    public static var sourceMissing: Cause { Cause(value: .sourceMissing) }
    /// A rule, a route or a firewall of this machine forbade it (`EACCES`, `EPERM`).
    public static var prohibited: Cause { Cause(value: .prohibited) }
    /// Somebody answered, and refused (`ECONNREFUSED`).
    public static var refused: Cause { Cause(value: .refused) }
    /// No connection came about, and the error does not say why (`cannotConnectToHost`).
    public static var cannotConnect: Cause { Cause(value: .cannotConnect) }
    /// Nobody answered in time (`timedOut`, `ETIMEDOUT`).
    public static var timedOut: Cause { Cause(value: .timedOut) }
    /// A connection broke off (`networkConnectionLost`, `ECONNRESET`, `EPIPE`).
    public static var connectionLost: Cause { Cause(value: .connectionLost) }
    /// The secure connection failed: certificates, or the protocol itself.
    public static var insecure: Cause { Cause(value: .insecure) }
    /// Somebody cancelled it.
    public static var cancelled: Cause { Cause(value: .cancelled) }
    /// The error does not say what went wrong.
    public static var unclear: Cause { Cause(value: .unclear) }
    /// It is about something else than the network, such as what a server answered, or a file.
    public static var other: Cause { Cause(value: .other) }
  }
}

// MARK: - The table

extension ReachabilityFailure.Cause {
  /// What steps of an explanation fail where this is the cause; the table that all else follows from.
  public var steps: Set<ReachabilityExplanation.Step.Kind> {
    switch value {
    case .nameNotFound: [.name, .nameServer, .system]
    // Where nothing leaves, it is the way to the name servers that is seen to be missing.
    case .noRoute: [.interface, .addresses, .route, .source, .nameServer, .system]
    case .hostUnreachable: [.interface, .route, .nextHop, .system]
    case .sourceMissing: [.interface, .addresses, .source, .system]
    case .prohibited: [.route, .system]
    case .cannotConnect: [.interface, .addresses, .route, .nextHop, .source, .system]
    case .connectionLost: [.interface, .addresses, .route, .nextHop, .source, .nameServer, .system]
    case .timedOut, .unclear: Set(ReachabilityExplanation.Step.Kind.allCases)
    case .refused, .insecure, .cancelled, .other: []
    }
  }

  /// The cause that an error number stands for.
  ///
  /// - Parameter errorNumber: A number of this system's, as in `errno`.
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

  /// The cause that a code of `URLError` stands for.
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

  /// The cause that an error stands for: of URL sessions, of POSIX and of Core Foundation, and what lies below these.
  public init(_ error: any Error) {
    self =
      Self.causes(of: error, depth: 0).first { !$0.isVague } ?? Self.causes(of: error, depth: 0).first
      ?? .other
  }

  /// Whether another error below this one may say more.
  private var isVague: Bool { [.cannotConnect, .unclear, .other].contains(self) }

  /// The causes of an error and of those below it, from the outermost inwards.
  private static func causes(of error: any Error, depth: Int) -> [ReachabilityFailure.Cause] {
    // Errors that hold themselves are nobody's intention.
    guard depth < 8 else { return [] }
    if error is CancellationError { return [.cancelled] }
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
      // Of Core Foundation's own numbers, those of hosts are small; all others are those of URL sessions.
      let isOfHost = general.domain != NSURLErrorDomain && (1...2).contains(general.code)
      var cause =
        isOfHost
        ? .nameNotFound
        : (URLError.Code(rawValue: general.code) as URLError.Code?).map { ReachabilityFailure.Cause($0) }
          ?? .other
      // On Linux libcurl's text is all that tells these.
      if cause == .unclear, general.isOfTLS { cause = .insecure }
      causes.append(cause)
      // 1 is the domain of error numbers, `kCFStreamErrorDomainPOSIX`, and 12 that of names, `kCFStreamErrorDomainNetDB`.
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
  /// Whether the text is one of libcurl's about TLS: it begins as those do, wherever names of hosts stand.
  fileprivate var isOfTLS: Bool { Self.beginningsOfTLS.contains { localizedDescription.hasPrefix($0) } }

  /// How libcurl's texts of TLS begin, its own and those of OpenSSL and GnuTLS that it passes on.
  private static let beginningsOfTLS = [
    "SSL ", "SSL: ", "SSL_", "TLS ", "OpenSSL", "error:", "gnutls_", "server certificate verification failed",
    "server verification failed", "error setting certificate", "Problem with the local SSL certificate",
    "Problem with the SSL CA cert", "Couldn't use specified SSL cipher", "Requested SSL level failed",
    "Failed to initialise SSL crypto engine", "Issuer check against peer certificate failed",
  ]
}
