import CLibrary

/// The process that runs the command.
package enum CurrentProcess {
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
