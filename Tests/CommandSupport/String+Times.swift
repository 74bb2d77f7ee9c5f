// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
extension String {
  /// The text, with `TIME` in place of every well-formed timestamp, and 0 in place of the index beside the interface of
  /// a status in JSON.
  package var withEqualTimesAndIndexes: String {
    replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z/, with: "TIME")
      .replacing(/("interface":"(?:[^"\\]|\\.)+","index":)[0-9]+/) { "\($0.output.1)0" }
  }

  /// The text, with `TIME` in place of every local time, whole or that of day.
  var withEqualLocalTimes: String {
    replacing(
      /([0-9]{4}-[0-9]{2}-[0-9]{2} )?[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}([+-][0-9]{2}:[0-9]{2})?/,
      with: "TIME")
  }
}
#endif
