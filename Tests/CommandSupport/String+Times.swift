#if os(Linux)
extension String {
  /// The text, with `TIME` in place of every well-formed timestamp.
  package var withEqualTimes: String {
    replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z/, with: "TIME")
  }
}
#endif
