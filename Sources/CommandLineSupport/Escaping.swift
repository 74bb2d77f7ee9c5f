extension String {
  /// The text with everything made visible that could move a cursor, change a colour, turn the writing round, or look
  /// like the end of a column.
  ///
  /// Names of interfaces come from outside and may hold any byte but a few.
  package var escapedForTerminal: String {
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isHostileToTerminals {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether this could move a cursor, change a colour, turn the writing round, or look like the end of a column.
  package var isHostileToTerminals: Bool {
    switch properties.generalCategory {
    case .spaceSeparator: self != " "
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }
}
