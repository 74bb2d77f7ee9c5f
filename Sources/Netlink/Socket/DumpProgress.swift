#if os(Linux)
import POSIX

/// The progress of a dump, the kernel's answer to a request for a whole table.
struct DumpProgress {
  var messages = 0
  var isDone = false
  var isInterrupted = false
  var error: Errno?
  var text: String?

  mutating func note(_ message: Message, of bytes: RawSpan) throws(DecodingError) {
    messages += 1
    if message.header.flags.contains(.dumpInterrupted) { isInterrupted = true }
    switch message.header.type {
    case .done:
      isDone = true
      let (start, end) = (message.payload.lowerBound, message.payload.upperBound)
      // Since Linux 4.20 the end of a dump carries its result.
      guard end - start >= 4 else { return }
      let code = try bytes.integer(Int32.self, at: start, before: end)
      if code < 0, code > Int32.min { error = Errno(rawValue: -code) }
    case .error:
      let acknowledgement = try Acknowledgement(decoding: bytes, message)
      isDone = true
      error = acknowledgement.error
      text = acknowledgement.text
    default:
      break
    }
  }
}
#endif
