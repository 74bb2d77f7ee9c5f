extension NameTable {
  /// How many look-ups go on at once at most.
  static var limit: Int { NameLookups.limit }
  /// How many of these may be in one zone, and how many in all zones together whose servers did not answer.
  static var zoneLimit: Int { 4 }
  /// How many zones are remembered at most.
  static var slowZoneLimit: Int { 1024 }
  /// How long a look-up is waited for: resolvers wait for ever for the rest of an answer over TCP.
  static var patience: Duration { .seconds(30) }
  /// How many look-ups that were given up may still go on; with more of a name, it is not looked up again, and with more
  /// of all together, none is.
  static var givenUpLimit: (ofName: Int, ofAll: Int) { (4, 32) }
  /// From when on a look-up is a slow one.
  static var slowness: Duration { .seconds(1) }
  /// When a name that was found is looked up again; the system's resolver does not tell how long an answer holds.
  static var refreshInterval: Duration { .seconds(60) }
  /// How long an answer is kept that nobody watches.
  static var keepInterval: Duration { .seconds(60) }
  /// How long the network must stand still before names are looked up again, and how long that is waited for at most.
  static var settlingTime: (quiet: Duration, most: Duration) { (.seconds(1), .seconds(5)) }
  /// The same for the resolver's settings, which are written in one go.
  static var settingsQuietTime: Duration { .milliseconds(100) }
}
