#if os(Linux)
import Netlink

/// The part of the policy rules that statuses depend on.
struct RuleFindings {
  /// The rules that match source addresses.
  var sources: [SourceRule] = []
  /// Whether a rule may match users.
  var matchesUsers = false
  /// Whether a rule may match TCP and not UDP, or the reverse.
  var matchesTransports = false
  /// Whether the rules changed each time they were listed.
  var isInterrupted = false
}

extension RuleFindings {
  /// Lists the rules of both families; a kernel without policy rules refuses, and has none.
  init(listedBy client: inout RouteClient) throws(NetlinkError) {
    self.init()
    for family in [AddressFamily.ipv4, .ipv6] {
      do throws(NetlinkError) {
        let rules = try client.rules(family)
        sources += rules.entries.compactMap(SourceRule.init)
        if rules.entries.contains(where: { $0.userIDs != nil }) { matchesUsers = true }
        if rules.entries.contains(where: { $0.protocolNumber != nil }) { matchesTransports = true }
        if !rules.skipped.isEmpty {
          matchesUsers = true
          matchesTransports = true
          if let any = SourceRule.unreadable(family) { sources.append(any) }
        }
        isInterrupted = isInterrupted || rules.isInterrupted
      } catch {
        if error.code != .refused { throw error }
      }
    }
  }
}
#endif
