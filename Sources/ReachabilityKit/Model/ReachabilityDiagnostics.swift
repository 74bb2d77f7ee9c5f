/// Counters of the exchange between a monitor and the system since the monitor was created, for troubleshooting.
///
/// No counter requires a reaction. Lost messages are replaced by reading the tables again. Unreadable messages are
/// skipped, and the kernel is queried for the targets that they may affect.
public struct ReachabilityDiagnostics: Hashable, Sendable {
  /// The number of messages that the system did not send; they were ignored.
  public var foreignMessages: Int
  /// The number of unreadable messages: announcements, and table entries each time that a table was read.
  public var unreadableMessages: Int
  /// The number of times that messages were lost because they arrived faster than they were read.
  public var overruns: Int
  /// The number of full reads of the link and address tables: initially, after each loss, and again when a table
  /// changed during each listing.
  public var tableReads: Int

  /// Creates counters; the default of each is zero.
  public init(
    foreignMessages: Int = 0, unreadableMessages: Int = 0, overruns: Int = 0, tableReads: Int = 0
  ) {
    self.foreignMessages = foreignMessages
    self.unreadableMessages = unreadableMessages
    self.overruns = overruns
    self.tableReads = tableReads
  }
}

extension ReachabilityDiagnostics {
  static func + (one: Self, other: Self) -> Self {
    Self(
      foreignMessages: one.foreignMessages + other.foreignMessages,
      unreadableMessages: one.unreadableMessages + other.unreadableMessages,
      overruns: one.overruns + other.overruns, tableReads: one.tableReads + other.tableReads)
  }
}
