/// A step of writing a record.
enum RecordStep: Equatable {
  /// Append a line. If that fails, this number of lines is lost: none if the line repeats what is known.
  case append(line: [UInt8], loss: Int)
  /// Append the line that the run begins with.
  case start(line: [UInt8])
  /// Begin another file, and keep this one under another name.
  case rotate
  /// Begin another file, because this one was moved or removed.
  case reopen

  /// The line to append.
  var line: [UInt8]? {
    switch self {
    case .append(let line, _), .start(let line): line
    case .rotate, .reopen: nil
    }
  }
}
