#if os(Linux)
import CLibrary
import POSIX

extension SourceChooser {
  /// Whether an IPsec policy blocks the packets of a socket that connects as a question says.
  ///
  /// Connecting looks policies up, and sends nothing. A policy for one port only is of no concern to other ports: the
  /// port is that of the discard protocol unless the packets are UDP. A policy for UDP alone is of no concern to TCP: where
  /// another protocol than UDP passes, nothing is blocked.
  ///
  /// - Returns: Also `false` if that can't be tried.
  mutating func isBlocked(_ question: RouteQuestion) -> Bool {
    guard isRefused(question, on: datagrams.rawValue) else { return false }
    if question.transport == .udp { return true }
    if other == nil { other = openOther() }
    guard let descriptor = other?.rawValue else { return true }
    return isRefused(question, on: descriptor)
  }

  private func isRefused(_ question: RouteQuestion, on descriptor: CInt) -> Bool {
    if let index = question.interface, !setOption(.interfaceIndex, UInt32(index), on: descriptor) {
      return false
    }
    let mark = question.mark ?? 0
    if mark != 0, !setOption(.mark, mark, on: descriptor) { return false }
    let port = question.transport == .udp ? question.port : nil
    let isRefused = connect(descriptor, to: question.destination, port: port) == .notPermitted
    disconnect(descriptor)
    if mark != 0 { _ = setOption(.mark, 0, on: descriptor) }
    return isRefused
  }

  private func setOption(_ option: SocketOption, _ value: UInt32, on descriptor: CInt) -> Bool {
    var value = value
    return unsafe setsockopt(descriptor, option.level, option.name, &value, 4) == 0
  }
}
#endif
