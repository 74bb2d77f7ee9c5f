/// The exit statuses of the commands.
package enum ExitStatus {
  /// Everything is as requested.
  package static let success: Int32 = 0
  /// Something is not as requested, for example a target that is not reachable, or the time limit has passed.
  package static let negative: Int32 = 1
  /// The usage is wrong, or the system cannot be queried.
  package static let trouble: Int32 = 2
}
