#if os(Linux)
import POSIX

extension Message {
  /// Decodes the answer to a lookup: the route, or the error.
  package func lookup(of bytes: RawSpan) throws(DecodingError) -> Result<LookupReply, Errno> {
    switch try Answer(self, of: bytes) {
    case .message(let message): .success(try LookupReply(decoding: bytes, in: message.payload))
    case .acknowledgement(let acknowledgement): .failure(acknowledgement.error ?? .invalidArgument)
    }
  }
}
#endif
