#if os(Linux)
extension RunningCommand {
  /// Waits for the next line with more than a name that is being resolved, which a fast lookup leaves out.
  package func nextKnownLine() throws -> String {
    while true {
      let line = try nextLine()
      if !line.hasSuffix("resolving its name") && !line.contains(#""reason":"resolving""#) { return line }
    }
  }
}
#endif
