extension String {
  /// The text without durations, for example ` after 7 ms`, so that equal failures have equal texts.
  var withoutTime: String { replacing(/\ after [0-9]+ (ms|milliseconds)/, with: "") }
}
