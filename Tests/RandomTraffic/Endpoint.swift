// SPDX-License-Identifier: Apache-2.0
import CRandomTraffic
import Foundation

/// One end of a connection, or a listening socket.
final class Endpoint {
  enum Role {
    case client(Scenario.Connection)
    case server(Service)
    case listener(Service)
  }

  /// What a server does with its connections, one port for each.
  enum Service: UInt16, CaseIterable {
    case exchange = 7001
    case sink, source, deaf, stream, halfClosed

    /// The port of a scenario's own listener.
    static let stormPort: UInt16 = 7010
    /// The port of listeners in the client's namespace.
    static let localPort: UInt16 = 7020
  }

  let role: Role
  let descriptor: Int32
  let key: UInt64
  let world: World?
  private(set) var isOpen = true
  var isConnected = false
  /// The connection in the relay's record.
  var flow: UInt64?
  /// The bytes of the present request that were received, and its header.
  var received = 0
  var header: [UInt8] = []
  /// The bytes of the reply that are still missing.
  var expected = 0
  /// What is to be written: a header, then zeros.
  private var head: [UInt8] = []
  private(set) var zeros = 0

  static let headerSize = 8
  nonisolated(unsafe) private static let space = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 65536, alignment: 8)

  init(_ role: Role, _ descriptor: Int32, key: UInt64, world: World?) {
    (self.role, self.descriptor, self.key, self.world) = (role, descriptor, key, world)
  }

  /// Closes with RST, or as usual.
  func close(aborts: Bool) {
    guard isOpen else { return }
    isOpen = false
    if aborts { traffic_abort(descriptor) } else { traffic_close(descriptor) }
  }

  /// Reads what there is, up to some limit: the number of bytes, the first of them up to a header's size, and whether
  /// the other end has ended its direction or the connection.
  func read() -> (count: Int, first: [UInt8], isEnded: Bool) {
    var total = 0
    var first: [UInt8] = []
    for _ in 0..<16 {
      let count = unsafe Foundation.read(descriptor, Self.space.baseAddress, Self.space.count)
      if count < 0 { return (total, first, errno != EAGAIN && errno != EINTR) }
      if count == 0 { return (total, first, true) }
      if first.count < Self.headerSize {
        for place in 0..<min(count, Self.headerSize - first.count) { first.append(unsafe Self.space[place]) }
      }
      total += count
    }
    return (total, first, false)
  }

  /// Writes a request or a reply, now or when there is room.
  func send(_ bytes: [UInt8] = [], zeros count: Int) {
    head += bytes
    zeros += count
    flush()
  }

  func flush() {
    guard isOpen else { return }
    while !head.isEmpty {
      let count = unsafe head.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      head.removeFirst(count)
    }
    while zeros > 0 {
      let count = unsafe Self.empty.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress, min($0.count, zeros))
      }
      guard count > 0 else { return }
      zeros -= count
    }
  }

  private static let empty = [UInt8](repeating: 0, count: 32768)

  /// The first bytes of a request: the number of those after it, of those in the reply, and a delay in milliseconds.
  static func request(_ rest: Int, reply: Int, thinking: Int) -> [UInt8] {
    [
      UInt8(truncatingIfNeeded: rest), UInt8(truncatingIfNeeded: rest >> 8), 0,
      UInt8(truncatingIfNeeded: reply),
      UInt8(truncatingIfNeeded: reply >> 8), 0, UInt8(truncatingIfNeeded: thinking),
      UInt8(truncatingIfNeeded: thinking >> 8),
    ]
  }

  /// The parts of a complete header.
  var announced: (rest: Int, reply: Int, thinking: Int) {
    func number(_ place: Int) -> Int { Int(header[place]) | Int(header[place + 1]) << 8 }
    return (number(0), number(3), number(6))
  }
}
