import CLibrary

#if os(Linux)
import CPOSIX
#endif

/// The process that runs the command.
package enum CurrentProcess {
  /// The program's name and its arguments.
  ///
  /// On Linux these are known even without `/proc`, where `CommandLine.arguments` is empty.
  package static var arguments: [Argument] {
    #if os(Linux)
    if var next = unsafe cposix_arguments() {
      var arguments: [Argument] = []
      while let argument = unsafe next.pointee {
        unsafe arguments.append(Argument(argument))
        unsafe next += 1
      }
      return arguments
    }
    #endif
    return CommandLine.arguments.map { Argument($0) }
  }

  /// Ends the process.
  package static func exit(_ status: Int32) -> Never {
    endProcess(status)
  }

  /// Ends the process without the C library's exit handlers.
  ///
  /// A command that has made requests needs it: libraries free objects in exit handlers that running threads still use.
  /// All output is written by then.
  package static func exitImmediately(_ status: Int32) -> Never {
    _exit(status)
  }
}

// Outside of the type, where `exit` is the C library's.
private func endProcess(_ status: Int32) -> Never {
  exit(status)
}
