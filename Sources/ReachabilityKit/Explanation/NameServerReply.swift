/// The reply of a name server to a query.
package enum NameServerReply: Hashable, Sendable {
  /// An answer, with its response code (RCODE, RFC 1035 section 4.1.1).
  case answered(code: UInt8, after: Duration)
  /// No answer.
  case silent(for: Duration)
  /// The system could not send the query, or it was refused; the system's message.
  case failed(String)
  /// This machine itself refused the query, for example by a rule of its firewall.
  case refusedHere
}
