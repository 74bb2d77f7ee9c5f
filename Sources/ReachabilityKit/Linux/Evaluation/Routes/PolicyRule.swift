#if os(Linux)
/// A policy rule, as far as explanations need it.
package struct PolicyRule: Hashable, Sendable {
  /// The action of a rule.
  package enum Action: Hashable, Sendable {
    /// Look up the table with this number.
    case lookUp(UInt32)
    case refuse(Refusal)
    /// Continue with the first rule of this priority.
    case jump(UInt32)
    /// Continue with the next rule.
    case none
    /// An action that is not known here.
    case other
  }

  /// The kind of refusal by a rule or a route.
  package enum Refusal: String, Hashable, Sendable {
    case blackhole
    case unreachable
    case prohibit
  }

  /// The protocol above IP that a rule matches.
  package enum Transport: Hashable, Sendable {
    case known(ReachabilityTarget.Transport)
    /// The protocol with this number.
    case other(UInt8)
  }

  /// The priority; rules apply in ascending order.
  package var priority: UInt32
  package var action: Action
  package var source: IPPrefix?
  package var destination: IPPrefix?
  /// The type of service, or zero for any.
  package var typeOfService: UInt8 = 0
  package var mark: UInt32?
  /// The bits of a mark that count.
  package var markMask: UInt32
  package var outputInterface: InterfaceName?
  package var inputInterface: InterfaceName?
  package var userIDs: ClosedRange<UInt32>?
  package var transport: Transport?
  package var sourcePorts: ClosedRange<UInt16>?
  package var destinationPorts: ClosedRange<UInt16>?
  /// The bits of a single port that count; zero if the ports are a range.
  package var destinationPortMask: UInt16
  /// Whether the rule matches the packets of routing domains (VRF).
  package var matchesRoutingDomains = false
  /// Whether the rule matches the packets that its selectors do not.
  package var isInverted: Bool
  /// The prefix length up to which matches of the table are ignored.
  package var suppressedPrefixLength: UInt32?
  /// The group of interfaces whose matches of the table are ignored.
  package var suppressedGroup: UInt32?
  /// Whether the rule has selectors that are not known here.
  package var hasUnknownSelectors: Bool

  package init(
    _ priority: UInt32, _ action: Action, source: IPPrefix? = nil, destination: IPPrefix? = nil,
    mark: UInt32? = nil, markMask: UInt32 = .max, outputInterface: InterfaceName? = nil,
    inputInterface: InterfaceName? = nil, userIDs: ClosedRange<UInt32>? = nil, transport: Transport? = nil,
    sourcePorts: ClosedRange<UInt16>? = nil, destinationPorts: ClosedRange<UInt16>? = nil,
    destinationPortMask: UInt16? = nil, isInverted: Bool = false,
    suppressedPrefixLength: UInt32? = nil, hasUnknownSelectors: Bool = false
  ) {
    self.priority = priority
    self.action = action
    self.source = source
    self.destination = destination
    self.outputInterface = outputInterface
    self.inputInterface = inputInterface
    self.userIDs = userIDs
    self.transport = transport
    self.sourcePorts = sourcePorts
    self.destinationPorts = destinationPorts
    self.destinationPortMask = destinationPortMask ?? 0
    self.isInverted = isInverted
    self.suppressedPrefixLength = suppressedPrefixLength
    self.hasUnknownSelectors = hasUnknownSelectors
    self.mark = mark
    self.markMask = markMask
  }
}

extension PolicyRule {
  /// Whether the rule matches the packets of a query; `nil` if that is not known.
  ///
  /// - Parameter names: Every name of the interface that packets are bound to; empty if they are not bound, and `nil`
  ///   if that is not known.
  func matches(_ question: RouteQuestion, over names: [InterfaceName]?, userID: UInt32?) -> Bool? {
    var isCertain = !hasUnknownSelectors
    /// Returns whether a selector rules the packets out.
    func excludes(_ fits: Bool?) -> Bool {
      if fits == nil { isCertain = false }
      return fits == false
    }
    // Queries have no type of service.
    if typeOfService != 0 { return isInverted }
    if let inputInterface, inputInterface != "lo" { return isInverted }
    if let source, excludes(source.matches(question.source)) { return isInverted }
    if let destination, !destination.contains(question.destination) { return isInverted }
    if let mark, (question.mark ?? 0) & markMask != mark { return isInverted }
    if let outputInterface, excludes(names.map { $0.contains(outputInterface) }) { return isInverted }
    if matchesRoutingDomains, excludes(question.interface == nil ? false : nil) { return isInverted }
    if let userIDs, excludes(userID.map(userIDs.contains)) { return isInverted }
    // The protocols of tunnels are not known here.
    let isOther = question.isOfTunnel && question.transport == nil
    if let transport, excludes(isOther ? nil : transport == .known(question.packetTransport)) {
      return isInverted
    }
    if let destinationPorts, excludes(question.port.map { matches($0, destinationPorts) }) {
      return isInverted
    }
    if sourcePorts != nil { isCertain = false }
    return isCertain ? !isInverted : nil
  }

  /// Matches a port as the kernel's `fib_rule_port_match` does.
  private func matches(_ port: UInt16, _ ports: ClosedRange<UInt16>) -> Bool {
    destinationPortMask == 0 ? ports.contains(port) : (port ^ ports.lowerBound) & destinationPortMask == 0
  }

  /// Whether the rule ignores a match of its table; `nil` if that is not known.
  func suppresses(prefixLength: Int) -> Bool? {
    if let suppressedPrefixLength, prefixLength <= suppressedPrefixLength { return true }
    return suppressedGroup == nil ? false : nil
  }

  /// The table that the rule looks up, if any.
  var table: UInt32? {
    if case .lookUp(let table) = action { table } else { nil }
  }

  /// The priority and the selectors, for example `rule 100 (from 10.2.0.0/16)`.
  var text: String {
    var words: [String] = isInverted ? ["not"] : []
    if let source, source.length > 0 { words.append("from \(source)") }
    if let destination, destination.length > 0 { words.append("to \(destination)") }
    if typeOfService != 0 { words.append("tos 0x\(String(typeOfService, radix: 16))") }
    if let mark { words.append("mark 0x\(String(mark, radix: 16))") }
    if let outputInterface { words.append("over \(outputInterface)") }
    if let inputInterface { words.append("from \(inputInterface)") }
    if let userIDs { words.append("user \(userIDs.lowerBound)-\(userIDs.upperBound)") }
    if let transport { words.append("ipproto \(transport.text)") }
    if let sourcePorts { words.append("sport \(Self.text(of: sourcePorts))") }
    if let destinationPorts {
      let isExact = [0, .max].contains(destinationPortMask)
      words.append(
        "dport \(Self.text(of: destinationPorts))"
          + (isExact ? "" : "/0x\(String(destinationPortMask, radix: 16))"))
    }
    return "rule \(priority)" + (words.isEmpty ? "" : " (\(words.joined(separator: " ")))")
  }

  fileprivate static func text(of ports: ClosedRange<UInt16>) -> String {
    ports.count == 1 ? "\(ports.lowerBound)" : "\(ports.lowerBound)-\(ports.upperBound)"
  }

  /// A table's name for display; the kernel knows numbers only.
  static func name(ofTable table: UInt32) -> String {
    switch table {
    case 255: "local"
    case 254: "main"
    case 253: "default"
    default: String(table)
    }
  }
}

extension PolicyRule.Transport {
  fileprivate var text: String {
    switch self {
    case .known(let transport): transport.rawValue
    case .other(let number): String(number)
    }
  }
}

extension IPPrefix {
  /// Whether a rule for this range matches a source; without one, IPv4 packets have 0.0.0.0, and IPv6 packets have none.
  fileprivate func matches(_ source: IPAddress?) -> Bool {
    if let source { return contains(source) }
    return length == 0 || address == .v4(.init(rawValue: 0))
  }
}

// MARK: - Removal

extension PolicyRule {
  /// The arguments of `ip rule del` that remove a rule which refuses packets, and no other; `nil` if there are none.
  ///
  /// The kernel removes the first rule that has all named selectors, `rule_find`. It does not compare `not`.
  ///
  /// - Parameter rules: The rules in their order, and the position of the one to remove.
  static func removal(of position: Int, among rules: [PolicyRule]) -> String? {
    let rule = rules[position]
    guard let words = rule.removalWords else { return nil }
    // The kernel compares no mark of zero.
    let compared = words.filter { !$0.hasPrefix("fwmark 0x0/") }
    let isFirst = !rules[..<position].contains { other in
      other.priority == rule.priority && compared.allSatisfy { other.removalWords?.contains($0) ?? false }
    }
    let start = "pref \(rule.priority)" + (rule.isInverted ? " not" : "")
    return isFirst ? ([start] + words).joined(separator: " ") : nil
  }

  /// The selectors and the action in the form of `ip rule`, except those that it does not express.
  private var removalWords: [String]? {
    guard case .refuse(let refusal) = action else { return nil }
    var words: [String] = []
    if let source, source.length > 0 { words.append("from \(source)") }
    if let destination, destination.length > 0 { words.append("to \(destination)") }
    if typeOfService != 0 { words.append("tos 0x\(String(typeOfService, radix: 16))") }
    if let mark {
      words.append("fwmark 0x\(String(mark, radix: 16))/0x\(String(markMask, radix: 16))")
    }
    words += [inputInterface?.words(as: "iif"), outputInterface?.words(as: "oif")].compactMap(\.self)
    if let userIDs { words.append("uidrange \(userIDs.lowerBound)-\(userIDs.upperBound)") }
    if let transport { words.append("ipproto \(transport.text)") }
    if let sourcePorts { words.append("sport \(Self.text(of: sourcePorts))") }
    if let destinationPorts, [0, .max].contains(destinationPortMask) {
      words.append("dport \(Self.text(of: destinationPorts))")
    }
    return words + [refusal.rawValue]
  }
}

extension InterfaceName {
  /// The words of a selector; `nil` for a name that `ip` refuses (`check_ifname`), as only other programs set one.
  fileprivate func words(as selector: String) -> String? {
    // The blanks of C's `isspace` lie beside each other, but for the space.
    let blanks = UInt8(ascii: "\t")...UInt8(ascii: "\r")
    let isRefused = octets.isEmpty || octets.contains { blanks.contains($0) || " /".utf8.contains($0) }
    return isRefused ? nil : "\(selector) \(shellWord)"
  }
}

/// A policy rule that matches the source of packets.
package struct SourceRule: Hashable, Sendable {
  package var prefix: IPPrefix
  /// Whether the rule matches packets from other sources.
  package var isInverted: Bool
  /// Whether the rule refuses the packets that it matches.
  package var refuses: Bool

  package init(_ prefix: IPPrefix, isInverted: Bool = false, refuses: Bool = false) {
    self.prefix = prefix
    self.isInverted = isInverted
    self.refuses = refuses
  }

  /// Whether the rule may match packets from a source; rules have other selectors too.
  func applies(to source: IPAddress) -> Bool {
    isInverted ? prefix.address.bitWidth == source.bitWidth : prefix.contains(source)
  }
}
#endif
