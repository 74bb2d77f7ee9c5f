extension Unicode.Scalar {
  /// Whether a terminal or a reader could take the character for something other than text.
  ///
  /// It could move a cursor, change a colour, reverse the direction of writing, look like the end of a column, or not be
  /// visible at all: Unicode's property Default_Ignorable_Code_Point.
  package var isHostileToTerminals: Bool {
    switch properties.generalCategory {
    case .spaceSeparator: self != " "
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: properties.isDefaultIgnorableCodePoint || isBlank
    }
  }

  /// Whether the character is a symbol, letter or mark without ink, to which Unicode gives no property that says so.
  private var isBlank: Bool {
    switch value {
    // The blank of braille, the null note head, the blanks of hieroglyphs, the filler of Khitan.
    case 0x2800, 0x1d159, 0x13441, 0x13442, 0x16fe4: true
    default: false
    }
  }
}
