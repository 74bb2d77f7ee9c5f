// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
extension RunningCommand {
  /// Waits for the next line with more than a name that is being resolved, which a fast lookup leaves out.
  package func nextKnownLine() throws -> String {
    while true {
      let line = try nextLine()
      // The reason of a line of JSON itself, and not that of the status before.
      let reason = line.firstMatch(of: /"reason":(null|"[A-Za-z]+")/)?.output.1
      if !line.hasSuffix("resolving its name"), reason != #""resolving""# { return line }
    }
  }
}
#endif
