import LiveSupport
import ReachabilityKit

NetworkProgram.main(usage: Arguments.usage) { words in
  let arguments = try Arguments(&words)
  NetworkProgram.requireNamespaces()
  return try Soak(arguments).run()
}
