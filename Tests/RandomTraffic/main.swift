#if os(Linux)
import CRandomTraffic
import Foundation
import LiveSupport

NetworkProgram.main(usage: Options.usage) { words in
  let options = try Options(&words)
  NetworkProgram.requireNamespaces()
  return try Run(options).run()
}
#endif
