/// The result of writing data to a stream.
package enum WriteResult: Equatable {
  case written
  /// The stream has no reader any more.
  case unread
  /// Writing failed; the value is the error number.
  case failed(CInt)
}
