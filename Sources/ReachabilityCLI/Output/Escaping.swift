extension String {
  /// The text with everything made visible that could move a cursor, change a colour or turn the writing round.
  ///
  /// Names of interfaces come from outside and may hold any byte but a few.
  var escapedForTerminal: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default:
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
