package enum NameLookups {
  /// The highest number of concurrent lookups.
  package static var limit: Int { 6 }
}
