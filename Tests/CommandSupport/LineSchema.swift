// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// The schema of the lines of `--json` and of records, checked by Python's `jsonschema`.
package enum LineSchema {
  /// Returns what does not match exactly one kind of line; empty if all lines do.
  package static func problems(in lines: String) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    // The tests' own names for times are none.
    let lines = lines.replacing(#""time":"TIME""#, with: #""time":"2026-11-24T00:00:00.000Z""#)
    try Data(lines.utf8).write(to: file)
    let schema = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../share/json-schema/reachability.schema.json").standardized
    let result = try NetworkNamespace.sample().shell(
      #"exec /usr/bin/python3 -c "$@""#, [validator, schema.path, file.path])
    return result.standardOutput + result.standardError
  }

  fileprivate static let skipReason: SkipReason? =
    .withoutNamespaces ?? .withoutPrograms("/usr/bin/python3")
    ?? .unless("/usr/bin/python3 -c 'import jsonschema'", "").map { _ in
      SkipReason(missing: "python3-jsonschema")
    }

  private static let validator = """
    import json, sys
    from jsonschema import Draft202012Validator
    schema = json.load(open(sys.argv[1]))
    Draft202012Validator.check_schema(schema)
    kinds = {choice["$ref"]: Draft202012Validator({**schema, "oneOf": [choice]}) for choice in schema["oneOf"]}
    for line in open(sys.argv[2]):
        value = json.loads(line)
        matching = [name for name, kind in kinds.items() if kind.is_valid(value)]
        if len(matching) != 1: print(matching, line)
    """
}

extension Trait where Self == Requirement {
  /// Skips tests where lines cannot be compared with their schema.
  package static var needsLineSchema: Self { Self(LineSchema.skipReason) }
}
#endif
