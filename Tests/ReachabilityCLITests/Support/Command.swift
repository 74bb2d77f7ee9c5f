#if os(Linux)
import Foundation
import LiveSupport

/// What a run of the command left: its exit status and all that it wrote.
struct Outcome: Equatable {
  /// The exit status, or 128 and the number of the signal that ended it.
  var status: Int32
  var output = ""
  var errors = ""
}

/// Why a test could not run the command, or waited for it in vain.
struct CommandError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The command that was built together with the tests.
enum Executable {
  static let path = Result { () throws -> String in
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(filePath: tests).deletingLastPathComponent().appending(path: "reachability").path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw CommandError("the command is not at \(path); build it with 'swift build --product reachability'")
    }
    return path
  }
}

/// Runs the command to its end.
func reachability(
  _ arguments: String..., in network: NetworkNamespace? = nil, environment: [String: String] = [:]
) throws -> Outcome {
  try RunningCommand(arguments, in: network, environment: environment).finish()
}

extension String {
  /// The text with `TIME` in place of every time stamp that has the right form.
  var withEqualTimes: String {
    replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z/, with: "TIME")
  }
}
#endif
