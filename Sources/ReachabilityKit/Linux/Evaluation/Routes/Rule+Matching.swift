// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension Rule {
  /// Whether the rule matches the packets of a query; `nil` if that is not known.
  ///
  /// - Parameter names: Every name of the interface that packets are bound to; empty if they are not bound, and `nil`
  ///   if that is not known.
  func matches(_ question: RouteRequest, over names: [InterfaceName]?, userID: UInt32?) -> Bool? {
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
    let packetProtocol = question.hasOtherProtocol ? nil : question.transport.protocolNumber
    if let protocolNumber, excludes(packetProtocol.map { $0 == protocolNumber }) { return isInverted }
    if let destinationPorts, excludes(question.destinationPort.map { matches($0, destinationPorts) }) {
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
  package var table: UInt32? {
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
    if let userIDs { words.append("user \(userIDs.first)-\(userIDs.last)") }
    if let protocolNumber { words.append("ipproto \(Self.name(ofProtocol: protocolNumber))") }
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

  private static func name(ofProtocol number: UInt8) -> String {
    ReachabilityTarget.Transport.allCases.first { $0.protocolNumber == number }?.rawValue ?? String(number)
  }

  /// A table's name for display; the kernel knows numbers only.
  package static func name(ofTable table: UInt32) -> String {
    switch table {
    case 255: "local"
    case 254: "main"
    case 253: "default"
    default: String(table)
    }
  }
}

extension IPPrefix {
  /// Whether a rule for this range matches a source; without one, IPv4 packets have 0.0.0.0, and IPv6 packets have none.
  fileprivate func matches(_ source: ReachabilityAddress?) -> Bool {
    if let source { return contains(source) }
    return length == 0 || address == .v4(.init(rawValue: 0))
  }
}

// MARK: - Removal

extension Rule {
  /// The arguments of `ip rule del` that remove a rule which refuses packets, looks up a table or jumps, and no other;
  /// `nil` if there are none.
  ///
  /// The kernel removes the first rule that has all named selectors, `rule_find`. It does not compare `not`.
  ///
  /// - Parameter rules: The rules in their order, and the position of the one to remove.
  package static func removal(of position: Int, among rules: [Rule]) -> String? {
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
    let effect: String
    switch action {
    case .refuse(let refusal): effect = refusal.rawValue
    case .lookUp(let table): effect = "lookup \(Self.name(ofTable: table))"
    case .jump(let priority): effect = "goto \(priority)"
    default: return nil
    }
    var words: [String] = []
    if let source, source.length > 0 { words.append("from \(source)") }
    if let destination, destination.length > 0 { words.append("to \(destination)") }
    if typeOfService != 0 { words.append("tos 0x\(String(typeOfService, radix: 16))") }
    if let mark {
      words.append("fwmark 0x\(String(mark, radix: 16))/0x\(String(markMask, radix: 16))")
    }
    words += [inputInterface?.words(as: "iif"), outputInterface?.words(as: "oif")].compactMap(\.self)
    if let userIDs { words.append("uidrange \(userIDs.first)-\(userIDs.last)") }
    if let protocolNumber { words.append("ipproto \(Self.name(ofProtocol: protocolNumber))") }
    if let sourcePorts { words.append("sport \(Self.text(of: sourcePorts))") }
    if let destinationPorts, [0, .max].contains(destinationPortMask) {
      words.append("dport \(Self.text(of: destinationPorts))")
    }
    return words + [effect]
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

// MARK: - Sources

extension Rule {
  /// Whether the rule matches sources, and may match packets from this one; rules have other selectors too.
  func applies(to address: ReachabilityAddress) -> Bool {
    guard let source else { return false }
    return isInverted ? source.address.bitWidth == address.bitWidth : source.contains(address)
  }

  /// Whether the rule refuses the packets that it matches.
  var refuses: Bool {
    if case .refuse = action { true } else { false }
  }

  /// A stand-in for a rule that could not be read, which may match any packets of a family.
  static func unreadable(_ family: AddressFamily) -> Rule {
    Rule(
      source: IPPrefix(family == .ipv4 ? "0.0.0.0" : "::", length: 0), userIDs: 0 ... .max, protocolNumber: 0,
      hasUnknownSelectors: true)
  }
}
#endif
