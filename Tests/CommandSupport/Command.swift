#if os(Linux)
import Foundation
import LiveSupport

/// What a run of the command left: its exit status and all that it wrote.
package struct Outcome: Equatable {
  /// The exit status, or 128 and the number of the signal that ended it.
  package var status: Int32
  package var output = ""
  package var errors = ""

  package init(status: Int32, output: String = "", errors: String = "") {
    self.status = status
    self.output = output
    self.errors = errors
  }
}

/// Why a test could not run the command, or waited for it in vain.
package struct CommandError: Error, CustomStringConvertible {
  package var description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// A program that was built together with the tests, beside them.
package struct Executable: Sendable {
  /// Where it is.
  package let path: String

  /// Looks for the program.
  package init(_ name: String) throws {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    path = URL(filePath: tests).deletingLastPathComponent().appending(path: name).path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw CommandError("the program is not at \(path); build it with 'swift build'")
    }
  }
}

/// Runs the command to its end.
package func reachability(
  _ arguments: String..., in network: NetworkNamespace? = nil, environment: [String: String] = [:]
) throws -> Outcome {
  try RunningCommand(arguments, in: network, environment: environment).finish()
}

extension String {
  /// The text with `TIME` in place of every time stamp that has the right form.
  package var withEqualTimes: String {
    replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z/, with: "TIME")
  }
}
#endif
