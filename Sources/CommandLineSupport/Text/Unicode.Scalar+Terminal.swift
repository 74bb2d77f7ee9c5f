extension Unicode.Scalar {
  /// Whether a terminal or a reader could take the character for something other than text.
  ///
  /// It could move a cursor, change a colour, reverse the direction of writing, or look like the end of a column.
  package var isHostileToTerminals: Bool {
    switch properties.generalCategory {
    case .spaceSeparator: self != " "
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }
}
