/// What the exit status says.
package enum ExitStatus {
  /// All is as it was asked to be.
  package static let success: Int32 = 0
  /// Something is not as it was asked to be, such as a target that is not reachable, or the time is over.
  package static let negative: Int32 = 1
  /// Wrong usage, or the system can't be asked.
  package static let trouble: Int32 = 2
}
