/// The colours of text on a terminal, by their numbers in SGR sequences.
package enum TerminalColour: Int {
  case red = 31
  case green = 32
  case yellow = 33
}
