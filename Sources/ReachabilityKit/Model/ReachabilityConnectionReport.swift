// SPDX-License-Identifier: Apache-2.0
/// The report of an attempt to connect to a target over TCP: whether it answered, and the outcome of each address.
///
/// Unlike a ``ReachabilityStatus``, which predicts whether packets leave this machine, this reports on packets that
/// were sent. It describes the moment of the attempt.
public struct ReachabilityConnectionReport: Hashable, Sendable {
  /// The target of the attempt.
  public var target: ReachabilityTarget
  /// The port, from 1.
  public var port: UInt16
  /// The status of the target when the attempts began, or when they could not begin.
  ///
  /// If a host's name could not be looked up, its reason says why. If the time limit passed before the name was
  /// known, it is unknown, with the reason `resolving`.
  public var status: ReachabilityStatus
  /// The attempts, one for each address, in their order; empty if a host has no known address.
  public var attempts: [Attempt]
  /// The time spent waiting for a host's name; close to zero if it was known.
  public var lookUpDuration: Duration
  /// The time from the first attempt to the first connection, or to the end of all attempts.
  public var duration: Duration

  /// Creates a report.
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

  /// The attempt that connected, or `nil` if none did.
  public var connection: Attempt? { attempts.first { $0.outcome == .connected } }

  /// The address of the attempt that connected, or `nil` if none did.
  public var address: ReachabilityAddress? { connection?.address }

  /// Whether an attempt connected.
  public var isConnected: Bool { connection != nil }
}

extension ReachabilityConnectionReport {
  /// The attempt to connect to one address.
  public struct Attempt: Hashable, Sendable {
    /// The outcome of an attempt.
    public enum Outcome: Hashable, Sendable {
      /// The connection was established, and closed immediately.
      case connected
      /// The connection was refused: usually by the host, where nothing listens on the port (`ECONNREFUSED`).
      ///
      /// The refusal arrived from a link, or the address is this machine's.
      case refused
      /// No answer arrived before the time limit, or before the system gave up (`ETIMEDOUT`).
      case timedOut
      /// The system could not connect for another reason, whose error number is for example `ENETUNREACH` or
      /// `EHOSTUNREACH`; `ECONNREFUSED` if this machine itself refused, for example by a rule of its firewall.
      case failed(errorNumber: Int32)
      /// Another address connected while this attempt had no answer yet.
      case abandoned
      /// No attempt was made: another address had connected, or the time limit had passed.
      case notTried
    }

    /// The address.
    public var address: ReachabilityAddress
    /// The interface that the attempt was bound to, or `nil`; the zone of an IPv6 address.
    public var interface: ReachabilityTarget.Interface?
    /// The time from the first attempt of all to this one; `nil` if the address was not tried.
    public var start: Duration?
    /// The time until the outcome was known; zero if the address was not tried.
    public var duration: Duration
    /// The outcome.
    public var outcome: Outcome
    /// The router or firewall that reported the failure by an ICMP message, or `nil`.
    ///
    /// It is `nil` if the host itself or the system reported it, and on kernels before 5.19, which do not name the
    /// sender.
    public var reporter: ReachabilityAddress?
    /// Whether this machine itself stopped the packets: a rule refused or forbade them, or the kernel counts none of them
    /// as sent.
    ///
    /// Packets that are dropped in silence are known only after two repetitions, which takes two or three seconds.
    /// `false` also if it is not known. On Linux, the source is `tcp_info` of the attempt's own socket.
    public var isStoppedHere: Bool
    /// The size in bytes, IP header included, of the greatest packet that is known to pass; `nil` if none is.
    ///
    /// Only a probing explanation finds it, for the address that connected. It is at most the size of the connection's
    /// own full packets. The source is the answers to test packets with the flag *don't fragment*, which are sent with
    /// `IP_PMTUDISC_PROBE` (`ip(7)`), or, for the ports of TLS, the acknowledgements of TCP.
    public var greatestPacket: Int?

    /// Creates an attempt.
    public init(
      _ address: ReachabilityAddress, interface: ReachabilityTarget.Interface? = nil, start: Duration? = nil,
      duration: Duration = .zero,
      outcome: Outcome, reporter: ReachabilityAddress? = nil, isStoppedHere: Bool = false,
      greatestPacket: Int? = nil
    ) {
      self.address = address
      self.interface = interface
      self.start = start
      self.duration = duration
      self.outcome = outcome
      self.reporter = reporter
      self.isStoppedHere = isStoppedHere
      self.greatestPacket = greatestPacket
    }
  }
}
