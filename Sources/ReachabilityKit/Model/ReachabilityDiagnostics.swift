/// What went on between a monitor and the system since the monitor was made: numbers for those who look for trouble.
///
/// No number needs an answer: what was lost is read again, and what cannot be read is skipped; the kernel is then queried for
/// what it may touch.
public struct ReachabilityDiagnostics: Hashable, Sendable {
  /// How many messages came from somebody else than the system; they were ignored.
  public var foreignMessages: Int
  /// How many of the system's messages could not be read: announcements, and entries of its tables each time that these
  /// were read.
  public var unreadableMessages: Int
  /// How often messages of the system were lost, since they came faster than they were read.
  public var overruns: Int
  /// How often the tables of links and addresses were read as a whole: at the beginning, and after each loss, and again when a table
  /// changed each time that it was listed.
  public var tableReads: Int

  /// Makes a set of numbers; what is not given is zero.
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
