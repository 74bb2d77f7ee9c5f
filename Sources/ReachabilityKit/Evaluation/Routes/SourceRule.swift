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
