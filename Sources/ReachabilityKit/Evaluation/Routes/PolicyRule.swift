/// A policy rule, as far as explanations need it.
package struct PolicyRule: Hashable, Sendable {
  /// The action of a rule.
  package enum Action: Hashable, Sendable {
    /// Look up the table with this number.
    case lookUp(UInt32)
    case refuse(Refusal)
    /// Another action, for example a jump to another rule.
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
  /// Whether the rule matches the packets that its selectors do not.
  package var isInverted: Bool
  /// The prefix length up to which matches of the table are ignored.
  package var suppressedPrefixLength: UInt32?
  /// Whether the rule has selectors that are not known here.
  package var asksForMore: Bool

  package init(
    _ priority: UInt32, _ action: Action, source: IPPrefix? = nil, destination: IPPrefix? = nil,
    mark: UInt32? = nil, markMask: UInt32 = .max, outputInterface: InterfaceName? = nil,
    inputInterface: InterfaceName? = nil, userIDs: ClosedRange<UInt32>? = nil, transport: Transport? = nil,
    sourcePorts: ClosedRange<UInt16>? = nil, destinationPorts: ClosedRange<UInt16>? = nil,
    destinationPortMask: UInt16? = nil, isInverted: Bool = false,
    suppressedPrefixLength: UInt32? = nil, asksForMore: Bool = false
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
    self.asksForMore = asksForMore
    self.mark = mark
    self.markMask = markMask
  }
}

extension PolicyRule {
  /// Whether the rule may match the packets of a query; if that cannot be decided, it may.
  ///
  /// - Parameter names: Every name of the interface that packets are bound to; empty if they are not bound.
  func applies(to question: RouteQuestion, over names: [InterfaceName], userID: UInt32?) -> Bool {
    var fits = inputInterface.map { $0 == "lo" } ?? true
    if let source { fits = fits && question.source.map(source.contains) ?? (source.length == 0) }
    if let destination { fits = fits && destination.contains(question.destination) }
    if let mark { fits = fits && (question.mark ?? 0) & markMask == mark }
    if let outputInterface { fits = fits && names.contains(outputInterface) }
    if let transport { fits = fits && transport == .known(question.packetTransport) }
    if let destinationPorts { fits = fits && matches(question.port ?? 0, destinationPorts) }
    // The source port of a connection is chosen after its route.
    if sourcePorts != nil { fits = false }
    if let userIDs, let userID { fits = fits && userIDs.contains(userID) }
    if asksForMore, fits { return true }
    return fits != isInverted
  }

  /// Matches a port as the kernel's `fib_rule_port_match` does.
  private func matches(_ port: UInt16, _ ports: ClosedRange<UInt16>) -> Bool {
    destinationPortMask == 0 ? ports.contains(port) : (port ^ ports.lowerBound) & destinationPortMask == 0
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
    if let mark { words.append("mark 0x\(String(mark, radix: 16))") }
    if let outputInterface { words.append("over \(outputInterface)") }
    if let inputInterface { words.append("from \(inputInterface)") }
    if let userIDs { words.append("user \(userIDs.lowerBound)-\(userIDs.upperBound)") }
    switch transport {
    case .known(let transport): words.append("ipproto \(transport)")
    case .other(let number): words.append("ipproto \(number)")
    case nil: break
    }
    if let sourcePorts { words.append("sport \(Self.text(of: sourcePorts))") }
    if let destinationPorts {
      let isExact = [0, .max].contains(destinationPortMask)
      words.append(
        "dport \(Self.text(of: destinationPorts))"
          + (isExact ? "" : "/0x\(String(destinationPortMask, radix: 16))"))
    }
    return "rule \(priority)" + (words.isEmpty ? "" : " (\(words.joined(separator: " ")))")
  }

  private static func text(of ports: ClosedRange<UInt16>) -> String {
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
