/// What tells one run of `record` from others.
struct RunIdentity: Hashable, Sendable {
  var machine: String
  /// The boot of the machine; runs of one boot share the clock that counts from it.
  var boot: String
  var run: String
}
