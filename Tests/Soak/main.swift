import Foundation
import LiveSupport
import ReachabilityKit

if CommandLine.arguments.contains("--help") {
  say(Arguments.usage)
  exit(0)
}
if let reason = NetworkNamespace.unavailable {
  say("skipped: \(reason)")
  exit(77)
}
do {
  let arguments = try Arguments(CommandLine.arguments.dropFirst())
  exit(try Soak(arguments).run() ? 0 : 1)
} catch let mistake as Arguments.Mistake {
  FileHandle.standardError.write(Data("error: \(mistake.text)\n\n\(Arguments.usage)".utf8))
  exit(2)
} catch {
  give(up: "\(error)")
}
