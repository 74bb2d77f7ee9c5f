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

  /// The form of `ip route`, for example `blackhole 10.66.1.0/24`.
  var text: String { "\(refusal.rawValue) \(prefix.length == 0 ? "default" : prefix.description)" }
}
