// Makes requests in the network that it is started in, for tests: `RequestProgram WORD [ARGUMENT…]`.
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let words = CommandLine.arguments.dropFirst()
switch words.first {
case "explain": try await explain(Array(words.dropFirst()))
case "memory": try await memory(words.dropFirst())
case "verify": try await verify(words.dropFirst())
default:
  FileHandle.standardError.write(Data("error: there is no '\(words.first ?? "")'\n".utf8))
  exit(2)
}
