extension Duration {
  /// The duration, limited to the range from zero to a century, which no clock overflows.
  package var boundedForClocks: Duration { min(max(self, .zero), .seconds(Int64(3_155_760_000))) }
}
