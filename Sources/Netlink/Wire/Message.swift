#if os(Linux)
/// One message of a datagram: its header and the range of its payload.
package struct Message: Equatable, Sendable {
  package var header: MessageHeader
  package var payload: Range<Int>
}
#endif
