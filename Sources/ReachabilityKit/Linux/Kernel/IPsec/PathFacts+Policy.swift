// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink
import POSIX

extension PathFacts.IPsec {
  /// Describes the policy that stops packets, which is the first one that matches them.
  ///
  /// - Parameter policies: The policies in the order of their search; `nil` if they could not be read.
  init(
    isBlocked: Bool, _ policies: [PolicyMessage]?, for question: RouteRequest,
    from source: ReachabilityAddress?
  ) {
    let policy = policies?.first { $0.matches(question, from: source) }
    self.init(isBlocked: isBlocked, policy: policy?.words, deletion: policy?.deletion)
  }
}

extension PolicyMessage {
  /// Whether the packets of a question meet the selector.
  fileprivate func matches(_ question: RouteRequest, from source: ReachabilityAddress?) -> Bool {
    guard self.destination?.contains(question.destination) == true, interfaceID == 0,
      (question.mark ?? 0) & markMask == mark
    else { return false }
    if let source, self.source?.contains(source) != true { return false }
    if interface != 0, let index = question.interface, index != interface { return false }
    if protocolNumber != 0, protocolNumber != question.protocolNumber { return false }
    // The kernel chooses the source port later.
    guard sourcePortMask == 0 else { return false }
    return destinationPortMask == 0
      || question.destinationPort.map { $0 & destinationPortMask == destinationPort } == true
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

/// The counters of packets that IPsec stopped, `/proc/net/xfrm_stat` of the network namespace in which it was opened.
struct PolicyStatistics: Sendable {
  private let file: OpenFile

  /// The packets that a policy blocked, and those whose policy requires a state (SA) that there is not.
  struct Counts: Equatable {
    var blocked: UInt64 = 0
    var stateless: UInt64 = 0
  }

  /// Opens the file of the calling thread's network namespace; returns `nil` if the kernel has none.
  init?() {
    guard let file = try? OpenFile("/proc/thread-self/net/xfrm_stat") else { return nil }
    self.file = file
  }

  /// Returns the present counters, or `nil` if they can't be read.
  func counts() -> Counts? {
    guard let text = try? file.contents(upTo: 4096), !text.isEmpty else { return nil }
    return Counts(text: text[...])
  }
}

extension PolicyStatistics.Counts {
  /// Reads lines of a name and a number.
  init(text: ArraySlice<UInt8>) {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let words = String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\t" }
      guard words.count == 2, let number = UInt64(words[1]) else { continue }
      switch words[0] {
      case "XfrmOutPolBlock": blocked = number
      case "XfrmOutNoStates": stateless = number
      default: continue
      }
    }
  }
}
#endif
