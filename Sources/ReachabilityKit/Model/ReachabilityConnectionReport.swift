/// What came of an attempt to connect to a target over TCP: whether somebody answered, and what each address did.
///
/// This is another thing than a ``ReachabilityStatus``, which says whether packets leave this machine: here some were sent. It is true of the
/// moment in which it was tried.
public struct ReachabilityConnectionReport: Hashable, Sendable {
  /// What was to be connected to.
  public var target: ReachabilityTarget
  /// The port, from 1.
  public var port: UInt16
  /// The status of the target when the attempts began, or when they could not.
  ///
  /// Of a host whose name could not be looked up its reason says why, and it is unknown, with the reason `resolving`, if the
  /// time was over before the name was known.
  public var status: ReachabilityStatus
  /// One for each address, in the order in which they are tried; none if a host's name has no address, or is not known.
  public var attempts: [Attempt]
  /// How long a host's name was waited for; next to nothing if it was known.
  public var lookUpDuration: Duration
  /// How long it took from the first attempt to the end of all, which is the first connection if there is one.
  public var duration: Duration

  /// Makes a report.
  public init(
    target: ReachabilityTarget, port: UInt16, status: ReachabilityStatus, attempts: [Attempt] = [],
    lookUpDuration: Duration = .zero,
    duration: Duration = .zero
  ) {
    self.target = target
    self.port = port
    self.status = status
    self.attempts = attempts
    self.lookUpDuration = lookUpDuration
    self.duration = duration
  }

  /// The attempt that led to a connection, or `nil` if none did.
  public var connection: Attempt? { attempts.first { $0.outcome == .connected } }

  /// The address that a connection came about with, or `nil` if with none.
  public var address: IPAddress? { connection?.address }

  /// Whether a connection came about.
  public var isConnected: Bool { connection != nil }
}

extension ReachabilityConnectionReport {
  /// What came of one address.
  public struct Attempt: Hashable, Sendable {
    /// How an attempt ended.
    public enum Outcome: Hashable, Sendable {
      /// A connection came about, and was closed at once.
      case connected
      /// Somebody refused: usually the host itself, on which nothing listens at the port (`ECONNREFUSED`).
      case refused
      /// Nobody answered until the time was over, or until the system gave up (`ETIMEDOUT`).
      case timedOut
      /// The system could not connect for another reason, such as `ENETUNREACH` or `EHOSTUNREACH`; its error number.
      case failed(errorNumber: Int32)
      /// Another address was connected to first, while this one had not answered yet.
      case abandoned
      /// It was not tried: another address was connected to before, or the time was over.
      case notTried
    }

    /// The address.
    public var address: IPAddress
    /// The interface that the address was tried on, if it was bound to one; the zone of an IPv6 address.
    public var interface: ReachabilityTarget.Interface?
    /// When it began, after the first attempt of all; `nil` if it was not tried.
    public var start: Duration?
    /// How long it took until the outcome was known; zero if it was not tried.
    public var duration: Duration
    /// How it ended.
    public var outcome: Outcome
    /// The router or firewall that said so, if it was one (an ICMP message); `nil` if it was the host itself or the system, and on
    /// kernels before 5.19, which do not tell.
    public var reporter: IPAddress?

    /// Makes an attempt.
    public init(
      _ address: IPAddress, interface: ReachabilityTarget.Interface? = nil, start: Duration? = nil,
      duration: Duration = .zero,
      outcome: Outcome, reporter: IPAddress? = nil
    ) {
      self.address = address
      self.interface = interface
      self.start = start
      self.duration = duration
      self.outcome = outcome
      self.reporter = reporter
    }
  }
}
