extension NameTable {
  static var limit: Int { NameLookups.limit }
  /// The highest number of concurrent lookups in one zone, and in all zones together whose servers did not answer.
  static var zoneLimit: Int { 4 }
  /// The highest number of remembered slow zones.
  static var slowZoneLimit: Int { 1024 }
  /// The time after which a lookup is abandoned: resolvers wait forever for the rest of an answer over TCP.
  static var timeLimit: Duration { .seconds(30) }
  /// The number of abandoned lookups still running at which a name, or any name, is not looked up again.
  static var abandonedLimit: (ofName: Int, ofAll: Int) { (4, 32) }
  /// The duration from which on a lookup is slow.
  static var slowness: Duration { .seconds(1) }
  /// The duration up to which a lookup may need no name server: one that takes longer waits for a reply.
  static var promptness: Duration { .milliseconds(100) }
  /// The age at which an answer is looked up again; the system's resolver does not report how long it is valid.
  static var refreshInterval: Duration { .seconds(60) }
  /// The time for which the answer of an unobserved name is kept.
  static var keepInterval: Duration { .seconds(60) }
  /// The time without changes of the network after which names are looked up again, and the longest delay by it.
  static var settlingTime: (quiet: Duration, most: Duration) { (.seconds(1), .seconds(5)) }
  /// The same time for the resolver's settings, which are written in one step.
  static var settingsQuietTime: Duration { .milliseconds(100) }
}
