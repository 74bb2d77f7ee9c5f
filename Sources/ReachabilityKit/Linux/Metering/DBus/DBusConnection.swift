// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import CPOSIX
import Netlink
import POSIX

/// A connection to a bus with a deadline for each query; D-Bus Specification 0.42.
///
/// A client of our own, since libdbus would be a library to install at run time. The row `metering` of the benchmarks shows
/// what a query adds to a path.
struct DBusConnection: ~Copyable {
  private let descriptor: FileDescriptor
  /// The deadline of the current query.
  var deadline: Moment
  /// The received bytes that are not parsed yet.
  private var received: [UInt8] = []
  /// The answers that arrived before their turn.
  private var answers: [UInt32: DBusMessage] = [:]
  private var lastSerial: UInt32 = 0
  /// Returns whether a message is a relevant announcement, given ``announcer``.
  private let isNews: @Sendable (DBusMessage, _ announcer: String?) -> Bool
  /// The unique bus name of the only trusted announcer.
  var announcer: String?
  private var hasNews = false

  /// Connects to a bus.
  init(
    _ address: DBusAddress, until deadline: Moment,
    isNews: @escaping @Sendable (DBusMessage, _ announcer: String?) -> Bool = { _, _ in false }
  ) throws(DBusError) {
    let descriptor = try Self.connected(to: address)
    self.descriptor = descriptor
    self.deadline = deadline
    self.isNews = isNews
  }

  /// The descriptor to poll for announcements and disconnection.
  var pollDescriptor: CInt { descriptor.rawValue }

  /// Authenticates as this process's user.
  mutating func authenticate() throws(DBusError) {
    // The kernel reports the user to the bus; our own number may differ in a user namespace.
    try send([0] + Array("AUTH EXTERNAL\r\nDATA\r\n".utf8))
    while true {
      let line = try receiveLine()
      if line.hasPrefix("OK") { break }
      guard line.hasPrefix("DATA") else { throw DBusError(.rejected, line) }
    }
    try send(Array("BEGIN\r\n".utf8))
  }

  /// Sends calls together and returns the serial numbers of their answers.
  mutating func send(_ calls: [DBusCall]) throws(DBusError) -> [UInt32] {
    var bytes: [UInt8] = []
    var serials: [UInt32] = []
    for call in calls {
      lastSerial += 1
      serials.append(lastSerial)
      bytes += call.encoded(serial: lastSerial)
    }
    try send(bytes)
    return serials
  }

  /// Waits for the answer to a call.
  mutating func answer(to serial: UInt32) throws(DBusError) -> DBusMessage {
    while true {
      if let answer = answers.removeValue(forKey: serial) {
        guard answer.kind == .answer else { throw DBusError(.refused, answer.errorName ?? "") }
        return answer
      }
      while !(try note()) { try receive() }
    }
  }

  /// Returns whether a relevant announcement was received since the last call.
  mutating func readSignals() throws(DBusError) -> Bool {
    while try note() {}
    defer { hasNews = false }
    return hasNews
  }

  /// Parses the next message if it is complete.
  private mutating func note() throws(DBusError) -> Bool {
    guard let message = try nextMessage() else { return false }
    if message.kind == .signal {
      hasNews = hasNews || isNews(message, announcer)
    } else if message.kind == .answer || message.kind == .error, let serial = message.replySerial,
      serial <= lastSerial
    {
      answers[serial] = message
    }
    return true
  }
}

// MARK: - Bytes

extension DBusConnection {
  private mutating func receiveLine() throws(DBusError) -> String {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeFirst(end + 1)
        return line
      }
      guard received.count < 1024 else { throw DBusError(.malformed, "line") }
      try receive()
    }
  }

  private mutating func nextMessage() throws(DBusError) -> DBusMessage? {
    guard received.count >= DBusMessage.prefixLength else { return nil }
    let length = try DBusMessage.length(ofPrefix: received)
    guard received.count >= length else { return nil }
    defer { received.removeFirst(length) }
    return try DBusMessage(Array(received.prefix(length)))
  }

  /// Waits for input and receives it.
  mutating func receive() throws(DBusError) {
    try wait(for: POLLIN)
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(descriptor.rawValue, &buffer, buffer.count, 0)
    if count > 0 {
      received += buffer.prefix(count)
    } else if count == 0 || !Self.isPassing(errno) {
      throw DBusError(.disconnected)
    }
  }

  private func send(_ bytes: [UInt8]) throws(DBusError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      try wait(for: POLLOUT)
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe CLibrary.send(
          descriptor.rawValue, bytes.baseAddress, bytes.count, TransferFlags.noSignal.rawValue)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if !Self.isPassing(errno) {
        throw DBusError(.disconnected)
      }
    }
  }

  private func wait(for event: CInt) throws(DBusError) {
    while true {
      let left = Moment.now.duration(to: deadline)
      guard left > .zero else { throw DBusError(.timedOut) }
      var polled = pollfd(fd: descriptor.rawValue, events: Int16(event), revents: 0)
      let count = unsafe poll(&polled, 1, CInt(clamping: Int64(left / .milliseconds(1)) + 1))
      if count > 0 { return }
      if count < 0, errno != EINTR { throw DBusError(.disconnected) }
    }
  }

  private static func isPassing(_ error: CInt) -> Bool {
    error == EAGAIN || error == EINTR
  }

  /// Connects; a Unix socket does that immediately or not at all.
  private static func connected(to address: DBusAddress) throws(DBusError) -> FileDescriptor {
    var name: [UInt8]
    switch address {
    case .path(let path): name = Array(path.utf8) + [0]
    case .abstract(let text): name = [0] + Array(text.utf8)
    }
    var kernelAddress = sockaddr_un()
    kernelAddress.sun_family = sa_family_t(AF_UNIX)
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    guard name.count <= MemoryLayout<sockaddr_un>.size - offset else { throw DBusError(.disconnected) }
    unsafe withUnsafeMutableBytes(of: &kernelAddress) { bytes in
      for (position, byte) in name.enumerated() { unsafe bytes[offset + position] = byte }
    }
    do throws(Errno) {
      let descriptor = try FileDescriptor.openSocket(AF_UNIX, .stream, flags: [.closeOnExec, .nonBlocking])
      let size = socklen_t(offset + name.count)
      let result = unsafe withUnsafePointer(to: &kernelAddress) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connect(descriptor.rawValue, $0, size)
        }
      }
      guard result == 0 else { throw Errno.last }
      return descriptor
    } catch {
      throw DBusError(.disconnected, error.description)
    }
  }
}

/// The address of a bus: a Unix socket.
enum DBusAddress: Equatable, Sendable {
  /// A file.
  case path(String)
  /// A name in the abstract namespace of Unix sockets.
  case abstract(String)

  /// The default address of the system bus.
  static var systemDefault: DBusAddress { .path("/run/dbus/system_bus_socket") }

  /// Parses a list of addresses as in `DBUS_SYSTEM_BUS_ADDRESS`; only Unix sockets are kept.
  static func list(_ text: String) -> [DBusAddress] {
    text.split(separator: ";").compactMap { address in
      guard address.hasPrefix("unix:") else { return nil }
      for pair in address.dropFirst(5).split(separator: ",") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let value = unescaped(parts[1]), !value.isEmpty else { continue }
        switch parts[0] {
        case "path": return .path(value)
        case "abstract": return .abstract(value)
        default: continue
        }
      }
      return nil
    }
  }

  /// Decodes escapes such as `%2f`.
  private static func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, let value = Substring(digits).hexadecimalByte, value != 0 else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension Substring {
  /// The value of two hexadecimal digits; signs are rejected.
  fileprivate var hexadecimalByte: UInt8? {
    allSatisfy(\.isHexDigit) ? UInt8(self, radix: 16) : nil
  }
}

/// A failure of a conversation over D-Bus.
struct DBusError: Error, Equatable, Sendable {
  /// The kind of failure.
  enum Code: Sendable {
    /// There is no bus, or it disconnected.
    case disconnected
    /// The bus rejected this user.
    case rejected
    /// The input violates the protocol, or is longer than any expected answer.
    case malformed
    /// The deadline passed.
    case timedOut
    /// The answer is an error; the detail is its name.
    case refused
  }

  var code: Code
  var detail = ""

  init(_ code: Code, _ detail: String = "") {
    self.code = code
    self.detail = detail
  }
}
#endif
