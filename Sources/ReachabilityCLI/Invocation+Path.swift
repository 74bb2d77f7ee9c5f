import CommandLineSupport
import ReachabilityKit

extension Invocation {
  /// Reads what is asked of a path.
  mutating func readPath(_ parsed: ParsedOptions, _ operands: [String]) throws(UsageError) {
    if let word = operands.first {
      throw UsageError(
        "'path' takes no target, and there is '\(word.redacted.escapedForTerminal)'",
        hint: "ask about a target with 'check', 'watch' or 'wait'")
    }
    isWatching = parsed.has("watch")
    for name in ["count", "timeout"] where parsed.has(name) && !isWatching {
      throw UsageError("--\(name) goes with 'path' only if it watches", hint: "add --watch")
    }
    requirements.requiredKind = try parsed.value("require", ReachabilityInterface.Kind.init(rawValue:))
    requirements.prohibitedKinds = Set(
      try parsed.values("prohibit", ReachabilityInterface.Kind.init(rawValue:)))
    if let kind = requirements.requiredKind, requirements.prohibitedKinds.contains(kind) {
      throw UsageError(
        "'\(kind.rawValue)' can't be both required and prohibited", hint: "leave one of the two away")
    }
  }
}
