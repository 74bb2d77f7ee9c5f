#if os(Linux)
/// The entries of a table as the kernel listed them.
package struct Listing<Entry> {
  package var entries: [Entry] = []
  /// Whether the table changed during every attempt, so that entries may be missing or gone.
  package var isInterrupted = false
  /// One number for each undecodable entry: the index of its link in lists of links and addresses, or 0 if that is
  /// undecodable too.
  package var skipped: [Int32] = []

  package init() {}

  /// Whether the entries are all entries of one moment.
  package var isComplete: Bool { !isInterrupted && skipped.isEmpty }
}
#endif
