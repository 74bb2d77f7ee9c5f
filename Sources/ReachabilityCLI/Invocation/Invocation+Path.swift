import CommandLineSupport
import ReachabilityKit

extension Invocation {
  /// Reads the options of `path`.
  mutating func readPath(_ parsed: ParsedOptions) throws(UsageError) {
    if let word = parsed.operands.dropFirst().first {
      throw UsageError(
        "'path' takes no target, got '\(word.redacted.escapedForTerminal)'",
        hint: "use 'check', 'watch' or 'wait' for a target")
    }
    isWatching = parsed.has("watch")
    for name in ["count", "timeout"] where parsed.has(name) && !isWatching {
      throw UsageError("'path' accepts --\(name) only with --watch", hint: "add --watch")
    }
    requirements.requiredKind = try parsed.value("require", ReachabilityInterface.Kind.init(rawValue:))
    requirements.prohibitedKinds = Set(
      try parsed.values("prohibit", ReachabilityInterface.Kind.init(rawValue:)))
    if let kind = requirements.requiredKind, requirements.prohibitedKinds.contains(kind) {
      throw UsageError(
        "'\(kind.rawValue)' is both required and prohibited", hint: "remove one of the two options")
    }
  }
}
