// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import POSIX
import Testing

@testable import ReachabilityKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Faulty buses; the real one is in the live tests.
@Suite("D-Bus connections", .deadline)
struct DBusConnectionTests {
  private static let name = "reachability-test-\(getpid())"
  private static let hello = DBusCall(destination: "a.b", path: "/", interface: "c.d", member: "Hello")

  /// Connects to a bus that sends these bytes and then hangs up, or stays silent; sends it one call.
  private func ask(
    _ said: [UInt8], hangsUp: Bool = true, limit: Duration = .seconds(20), line: Int = #line
  ) throws -> DBusMessage {
    let listener = try #require(Listener("\(Self.name)-\(line)"))
    try startThread(named: "bus") { listener.serve(said, hangsUp: hangsUp) }
    var connection = try DBusConnection(
      .abstract("\(Self.name)-\(line)"), until: Moment.now.advanced(by: limit))
    try connection.authenticate()
    let serials = try connection.send([Self.hello])
    return try connection.answer(to: serials[0])
  }

  private static let welcome = Array("DATA\r\nOK 59096c71a97d8ef2446e83b96b015934\r\n".utf8)

  @Test func `an answer is found among signals, however the bytes are split`() throws {
    let said = Self.welcome + RecordedDBusMessage.announcement + RecordedDBusMessage.nameAnswer
    #expect(try ask(said).string() == ":1.1")
  }

  @Test func `an error is a refusal`() throws {
    var said = RecordedDBusMessage.errorAnswer
    // Field 5, the serial number of the call.
    let place = try #require(said.indices.first { said[$0...].starts(with: [5, 1, 0x75, 0]) })
    said[place + 4] = 1
    let refusal = DBusError(.refused, "org.freedesktop.NetworkManager.UnknownDevice")
    #expect(throws: refusal) { try ask(Self.welcome + said) }
  }

  @Test func `a bus that rejects the user is reported as such`() {
    #expect(throws: DBusError(.rejected, "REJECTED EXTERNAL\r")) {
      try ask(Array("REJECTED EXTERNAL\r\n".utf8))
    }
  }

  @Test func `a bus that hangs up is disconnected`() {
    #expect(throws: DBusError(.disconnected)) { try ask([]) }
    #expect(throws: DBusError(.disconnected)) { try ask(Self.welcome) }
    #expect(throws: DBusError(.disconnected)) {
      try ask(Self.welcome + RecordedDBusMessage.nameAnswer.dropLast())
    }
  }

  @Test func `a bus that violates the protocol is malformed`() {
    let endless = [UInt8](repeating: 0x41, count: 9000)
    #expect(throws: DBusError(.malformed, "line")) { try ask(endless) }
    #expect(throws: DBusError(.malformed, "byte order")) { try ask(Self.welcome + endless) }
    var long = RecordedDBusMessage.nameAnswer
    long[7] = 0xff
    #expect(throws: DBusError(.malformed, "too long")) { try ask(Self.welcome + long) }
  }

  @Test func `an answer to another call is ignored`() {
    let limit = Duration.milliseconds(50)
    #expect(throws: DBusError(.timedOut)) {
      // It answers the second call, which was not sent.
      try ask(Self.welcome + RecordedDBusMessage.deviceAnswer, hangsUp: false, limit: limit)
    }
    #expect(throws: DBusError(.timedOut)) { try ask([], hangsUp: false, limit: limit) }
  }

  @Test func `a connection without a listening bus fails`() {
    for address in [
      DBusAddress.path("/proc/self/nowhere"), .path("/dev/null"), .abstract(Self.name + "nobody"),
    ] {
      #expect(throws: DBusError.self) { _ = try DBusConnection(address, until: .now) }
    }
    let long = String(repeating: "x", count: 108)
    #expect(throws: DBusError(.disconnected)) { _ = try DBusConnection(.path("/" + long), until: .now) }
    #expect(throws: DBusError(.disconnected)) { _ = try DBusConnection(.abstract(long), until: .now) }
  }
}

/// A listening socket that accepts one connection.
private final class Listener: Sendable {
  private let descriptor: Int32

  init?(_ name: String) {
    descriptor = socket(AF_UNIX, 1 | 0o2000000, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let text = Array(name.utf8)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      for (index, byte) in text.prefix(100).enumerated() { unsafe bytes[index + 1] = byte }
    }
    let size = socklen_t(3 + min(text.count, 100))
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, size) }
    }
    guard bound == 0, listen(descriptor, 1) == 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Sends the bytes in small pieces after the first request; reads until the other end hangs up unless it does so.
  func serve(_ said: [UInt8], hangsUp: Bool) {
    let connection = accept(descriptor, nil, nil)
    defer { close(connection) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    _ = unsafe read(connection, &buffer, buffer.count)
    for start in stride(from: 0, to: said.count, by: 7) {
      var piece = Array(said[start..<min(start + 7, said.count)])
      guard unsafe send(connection, &piece, piece.count, 0x4000) > 0 else { return }
    }
    // A connection that is closed with unread data is reset, and sent data may be lost.
    if hangsUp { shutdown(connection, 1) }
    while unsafe read(connection, &buffer, buffer.count) > 0 {}
  }
}
#endif
