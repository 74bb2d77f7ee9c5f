#if os(Linux)
import Netlink

extension ExplanationFacts.IPsec {
  /// Describes the policy that stops packets, which is the first one that matches them.
  ///
  /// - Parameter policies: The policies in the order of their search; `nil` if they could not be read.
  init(isBlocked: Bool, _ policies: [PolicyMessage]?, for question: RouteQuestion, from source: IPAddress?) {
    let policy = policies?.first { $0.matches(question, from: source) }
    self.init(isBlocked: isBlocked, policy: policy?.words, deletion: policy?.deletion)
  }
}

extension PolicyMessage {
  /// Whether the packets of a question meet the selector.
  fileprivate func matches(_ question: RouteQuestion, from source: IPAddress?) -> Bool {
    guard self.destination?.contains(question.destination) == true, interfaceID == 0,
      (question.mark ?? 0) & markMask == mark
    else { return false }
    if let source, self.source?.contains(source) != true { return false }
    if interface != 0, let index = question.interface, index != interface { return false }
    if protocolNumber != 0, protocolNumber != question.transport?.protocolNumber { return false }
    // The kernel chooses the source port later.
    guard sourcePortMask == 0 else { return false }
    return destinationPortMask == 0
      || question.port.map { $0 & destinationPortMask == destinationPort } == true
  }

  /// The selector in the words of the `ip` command.
  fileprivate var words: String {
    var words = "src \(source?.description ?? "any") dst \(destination?.description ?? "any")"
    if protocolNumber != 0 { words += " proto \(protocolNumber)" }
    if destinationPortMask != 0 { words += " dport \(destinationPort)" }
    words += " priority \(priority)"
    if mark != 0 || markMask != 0 { words += " mark \(mark)" }
    return words
  }

  /// The command that deletes the policy, whatever its selector; `nil` for a mask without a mark, which `ip` omits.
  fileprivate var deletion: String? {
    if markMask & mark == 0, markMask != 0 { return nil }
    var command = "ip xfrm policy delete index \(index) dir out"
    if isSub { command += " ptype sub" }
    if mark != 0 || markMask != 0 { command += " mark \(mark) mask \(markMask)" }
    if interfaceID != 0 { command += " if_id \(interfaceID)" }
    return command
  }
}
#endif
