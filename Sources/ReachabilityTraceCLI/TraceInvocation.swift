// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import InternetProtocol
import PacketTrace

/// The arguments of the command.
struct TraceInvocation: Equatable, Sendable {
  var transport: Flow.Transport
  var address: ReachabilityAddress
  var port: UInt16
  /// An interface by its name, or by its index.
  var interface: InterfaceName?
  var source: ReachabilityAddress?
  var mark: UInt32?
  var timeout: Duration
  var isJSON: Bool

  /// The remote address as it was given.
  var addressText: String { address.description + (address.needsZone ? "%\(interface?.text ?? "")" : "") }

  /// The longest time to wait for a decision.
  private static let longestTimeout = Duration.seconds(10)
  /// The time after which the process ends in any case, in seconds.
  static let longestLife: UInt32 = 15

  /// Interprets the options and operands of a command line.
  init(_ parsed: ParsedOptions) throws(UsageError) {
    isJSON = parsed.has(.json)
    guard let text = parsed.operands.first, parsed.operands.count == 1 else {
      throw UsageError("'trace' takes one target, got \(parsed.operands.count)", hint: "give \(Self.forms)")
    }
    guard let endpoint = Endpoint(text) else {
      throw UsageError("'\(text.redacted)' has no address with protocol and port", hint: "give \(Self.forms)")
    }
    (transport, address, port) = (endpoint.transport, endpoint.address, endpoint.port)
    let given = try parsed.value(Self.interface, argument: { Self.name($0.bytes) })
    if let zone = endpoint.zone, let given, zone != given {
      throw UsageError(
        "the zone of '\(text)' differs from --interface \(given)", hint: "remove one of the two")
    }
    interface = endpoint.zone ?? given
    if address.needsZone, interface == nil {
      throw UsageError(
        "'\(text)' is link-local and has no zone", hint: "add it, for example tcp://[fe80::1%eth0]:22")
    }
    source = try parsed.value(.from) { ReachabilityAddress($0) }
    if let source, source.family != address.family {
      throw UsageError(
        "'\(text)' and --from \(source) have different address families", hint: "remove --from, or change it")
    }
    mark = try parsed.value(.mark, UInt32.init(markText:))
    timeout = try parsed.duration(Self.timeout, in: .milliseconds(100)...Self.longestTimeout) ?? .seconds(3)
  }

  private static func name(_ bytes: [UInt8]) -> InterfaceName? {
    // IFNAMSIZ of alternative names, with the final zero.
    bytes.isEmpty || bytes.count >= 128 ? nil : InterfaceName(bytes: bytes)
  }

  private static let forms =
    "an address with protocol and port, for example tcp://10.9.0.1:443 or udp://[fe80::1%eth0]:53"

  private static let interface = Option(
    "interface",
    takes: Option.Value(
      "NAME", "an interface name, for example eth0, or an interface index", completion: .interfaces),
    "send through this interface")
  private static let timeout = Option(
    "timeout", takes: .duration("\(Duration.acceptedTexts), from 100ms to 10s"),
    "the longest time to wait for a decision or an answer", default: "3s")

  static let description: CommandDescription = {
    var description = CommandDescription(
      .trace, takes: .flow,
      """
      Sends a packet, and names the rule of nftables or iptables-nft on this machine that drops or rejects it, or an \
      answer to it. TCP connects and closes; UDP sends an empty datagram each second. A target is an address with \
      protocol and port, such as tcp://10.9.0.1:443. Needs CAP_NET_ADMIN, as root has, and drops all other rights first.
      """,
      options: [interface, .from, .mark, timeout, .json],
      notes: """
        Meanwhile a table of its own marks the packets of this one socket for tracing, at most 20 a second. It changes \
        nothing else, drops nothing, and vanishes with the process. Rules of iptables-legacy are not visible.
        """,
      statuses: [
        0: "no rule of nftables dropped the packet or an answer to it",
        1: "a rule or a policy did, or the packet was not sent",
        2: "the usage is wrong, or the right is missing",
      ],
      examples: [
        .init("reachability trace tcp://10.9.0.1:443", "Which rule drops a connection to this server?"),
        .init("reachability trace udp://10.9.0.1:53 --from 10.1.0.1", "The same for UDP, from this address."),
        .init("reachability trace tcp://[fe80::1%eth0]:22 --json", "The same as a JSON object."),
      ], page: "FirewallRules")
    description.isSeparate = true
    return description
  }()
}

/// An address with protocol and port, as a URL.
private struct Endpoint {
  var transport: Flow.Transport
  var address: ReachabilityAddress
  var zone: InterfaceName?
  var port: UInt16

  init?(_ text: String) {
    guard let parts = URLParts(text), text == "\(parts.scheme)://\(parts.host):\(parts.port ?? "")",
      let transport = Flow.Transport.allCases.first(where: { $0.word == parts.scheme.lowercased() }),
      let port = parts.port.flatMap({ UInt16(digits: $0) }), port > 0
    else { return nil }
    var host = parts.host
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed { host = host.dropFirst().dropLast() }
    let pieces = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = ReachabilityAddress(pieces[0]), isBracketed == (address.family == .v6),
      !address.isUnspecified, !address.isMulticast
    else { return nil }
    if pieces.count > 1 {
      guard address.needsZone, !pieces[1].isEmpty, pieces[1].utf8.count < 128 else { return nil }
      zone = InterfaceName(String(pieces[1]))
    }
    (self.transport, self.address, self.port) = (transport, address, port)
  }
}
