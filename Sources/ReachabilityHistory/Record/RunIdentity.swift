/// What tells one run of `record` from others.
struct RunIdentity: Hashable, Sendable {
  /// The longest name of a machine in bytes: the most that POSIX allows (`_POSIX_HOST_NAME_MAX`), four times Linux's.
  static let nameLimit = 255

  var machine: String
  /// The boot of the machine; runs of one boot share the clock that counts from it.
  var boot: String
  var run: String
}
