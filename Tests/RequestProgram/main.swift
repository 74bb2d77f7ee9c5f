// SPDX-License-Identifier: Apache-2.0
// Makes requests in its network namespace, for tests: `RequestProgram WORD [ARGUMENT…]`.
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let words = CommandLine.arguments.dropFirst()
switch words.first {
case "fetch": await WaitingRequest(words.dropFirst())?.fetch()
case "repeat": await WaitingRequest(words.dropFirst())?.repeated()
case "explain":
  try await explain(Array(words.dropFirst()))
  exit(0)
case "many": try await many(words.dropFirst())
case "uploads": try await uploads(words.dropFirst())
case "cancel": try await cancel(words.dropFirst())
case "cancelled": try await cancelled(words.dropFirst())
case "memory": try await memory(words.dropFirst())
case "crowd": try await crowd(words.dropFirst())
case "verify": try await verify(words.dropFirst())
default:
  FileHandle.standardError.write(Data("error: unknown word '\(words.first ?? "")'\n".utf8))
  exit(2)
}
FileHandle.standardError.write(Data("error: '\(words.joined(separator: " "))' has invalid arguments\n".utf8))
exit(2)
