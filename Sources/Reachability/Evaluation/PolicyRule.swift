/// A policy rule, as far as a person is told of it.
package struct PolicyRule: Hashable, Sendable {
  /// What becomes of the packets that a rule is for.
  package enum Action: Hashable, Sendable {
    /// Look in the table with this number.
    case lookUp(UInt32)
    case refuse(Refusal)
    /// Another one, such as to go on elsewhere.
    case other
  }

  /// How a rule or a route refuses.
  package enum Refusal: String, Hashable, Sendable {
    case blackhole
    case unreachable
    case prohibit
  }

  /// The place in the order, the lowest first.
  package var priority: UInt32
  package var action: Action
  package var source: IPPrefix?
  package var destination: IPPrefix?
  package var mark: UInt32?
  /// Which bits of a mark count.
  package var markMask: UInt32
  package var outputInterface: String?
  package var inputInterface: String?
  package var userIDs: ClosedRange<UInt32>?
  /// Whether the rule is for all packets that it is not for.
  package var isInverted: Bool
  /// The prefix length up to which matches of the table are passed over.
  package var suppressedPrefixLength: UInt32?
  /// Whether the rule asks for more than is known here, such as ports.
  package var asksForMore: Bool

  package init(
    _ priority: UInt32, _ action: Action, source: IPPrefix? = nil, destination: IPPrefix? = nil,
    mark: UInt32? = nil, markMask: UInt32 = .max, outputInterface: String? = nil,
    inputInterface: String? = nil, userIDs: ClosedRange<UInt32>? = nil, isInverted: Bool = false,
    suppressedPrefixLength: UInt32? = nil, asksForMore: Bool = false
  ) {
    self.priority = priority
    self.action = action
    self.source = source
    self.destination = destination
    self.outputInterface = outputInterface
    self.inputInterface = inputInterface
    self.userIDs = userIDs
    self.isInverted = isInverted
    self.suppressedPrefixLength = suppressedPrefixLength
    self.asksForMore = asksForMore
    self.mark = mark
    self.markMask = markMask
  }
}

extension PolicyRule {
  /// Whether the rule may be for the packets of a question; where it can't be told, it may.
  func applies(to question: RouteQuestion, over interface: String?, userID: UInt32?) -> Bool {
    var fits = inputInterface.map { $0 == "lo" } ?? true
    if let source { fits = fits && question.source.map(source.contains) ?? (source.length == 0) }
    if let destination { fits = fits && destination.contains(question.destination) }
    if let mark { fits = fits && (question.mark ?? 0) & markMask == mark }
    if let outputInterface { fits = fits && outputInterface == interface }
    if let userIDs, let userID { fits = fits && userIDs.contains(userID) }
    if asksForMore, fits { return true }
    return fits != isInverted
  }

  /// The table that the rule names, if any.
  var table: UInt32? {
    if case .lookUp(let table) = action { table } else { nil }
  }

  /// The number and what makes the rule a special one, such as `rule 100 (from 10.2.0.0/16)`.
  var text: String {
    var words: [String] = isInverted ? ["not"] : []
    if let source, source.length > 0 { words.append("from \(source)") }
    if let destination, destination.length > 0 { words.append("to \(destination)") }
    if let mark { words.append("mark 0x\(String(mark, radix: 16))") }
    if let outputInterface { words.append("over \(outputInterface)") }
    if let inputInterface { words.append("from \(inputInterface)") }
    if let userIDs { words.append("user \(userIDs.lowerBound)-\(userIDs.upperBound)") }
    return "rule \(priority)" + (words.isEmpty ? "" : " (\(words.joined(separator: " ")))")
  }

  /// A table's name for people; the kernel knows numbers only.
  static func name(ofTable table: UInt32) -> String {
    switch table {
    case 255: "local"
    case 254: "main"
    case 253: "default"
    default: String(table)
    }
  }
}

/// A route that refuses packets.
package struct RefusingRoute: Hashable, Sendable {
  package var refusal: PolicyRule.Refusal
  package var prefix: IPPrefix
  package var table: UInt32

  package init(_ refusal: PolicyRule.Refusal, _ prefix: IPPrefix, table: UInt32 = 254) {
    self.refusal = refusal
    self.prefix = prefix
    self.table = table
  }

  /// As `ip route` writes it, such as `blackhole 10.66.1.0/24`.
  var text: String { "\(refusal.rawValue) \(prefix.length == 0 ? "default" : prefix.description)" }
}
