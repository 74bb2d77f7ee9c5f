extension String {
  /// The text with everything made visible that could move a cursor, change a colour, turn the writing round, or look
  /// like the end of a column.
  ///
  /// Names of interfaces come from outside and may hold any byte but a few.
  var escapedForTerminal: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .spaceSeparator where scalar == " ":
        result.unicodeScalars.append(scalar)
      case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .privateUse,
        .unassigned:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default:
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
