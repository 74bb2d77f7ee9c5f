#if os(Linux)
import DeadlineSupport
import Testing

@testable import ReachabilityKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A bus that is not what it should be; the real one is in the live tests.
@Suite("Connections to a bus", .deadline)
struct DBusConnectionTests {
  private static let name = "reachability-test-\(getpid())"
  private static let hello = DBusCall(destination: "a.b", path: "/", interface: "c.d", member: "Hello")

  /// Connects to a bus that says this and then hangs up, or holds its tongue; asks it one question.
  private func ask(
    _ said: [UInt8], hangsUp: Bool = true, limit: Duration = .seconds(20), line: Int = #line
  ) throws -> DBusMessage {
    let listener = try #require(Listener("\(Self.name)-\(line)"))
    try startThread(named: "bus") { listener.serve(said, hangsUp: hangsUp) }
    var connection = try DBusConnection(
      .abstract("\(Self.name)-\(line)"), until: SuspendingClock().now.advanced(by: limit))
    try connection.authenticate()
    let serials = try connection.send([Self.hello])
    return try connection.answer(to: serials[0])
  }

  private static let welcome = Array("DATA\r\nOK 59096c71a97d8ef2446e83b96b015934\r\n".utf8)

  @Test func `an answer is found among announcements, however it is cut`() throws {
    let said = Self.welcome + RecordedDBusMessage.announcement + RecordedDBusMessage.nameAnswer
    #expect(try ask(said).string() == ":1.1")
  }

  @Test func `an error is a refusal`() throws {
    var said = RecordedDBusMessage.errorAnswer
    // Field 5, the call's number.
    let place = try #require(said.indices.first { said[$0...].starts(with: [5, 1, 0x75, 0]) })
    said[place + 4] = 1
    let refusal = DBusError(.refused, "org.freedesktop.NetworkManager.UnknownDevice")
    #expect(throws: refusal) { try ask(Self.welcome + said) }
  }

  @Test func `a bus that lets nobody in is told apart`() {
    #expect(throws: DBusError(.rejected, "REJECTED EXTERNAL\r")) {
      try ask(Array("REJECTED EXTERNAL\r\n".utf8))
    }
  }

  @Test func `a bus that hangs up is no bus`() {
    #expect(throws: DBusError(.disconnected)) { try ask([]) }
    #expect(throws: DBusError(.disconnected)) { try ask(Self.welcome) }
    #expect(throws: DBusError(.disconnected)) {
      try ask(Self.welcome + RecordedDBusMessage.nameAnswer.dropLast())
    }
  }

  @Test func `a bus that breaks the rules is no bus`() {
    let endless = [UInt8](repeating: 0x41, count: 9000)
    #expect(throws: DBusError(.malformed, "line")) { try ask(endless) }
    #expect(throws: DBusError(.malformed, "byte order")) { try ask(Self.welcome + endless) }
    var long = RecordedDBusMessage.nameAnswer
    long[7] = 0xff
    #expect(throws: DBusError(.malformed, "too long")) { try ask(Self.welcome + long) }
  }

  @Test func `an answer to another question is none`() {
    let limit = Duration.milliseconds(50)
    #expect(throws: DBusError(.timedOut)) {
      // It answers the second call, of which there was none.
      try ask(Self.welcome + RecordedDBusMessage.deviceAnswer, hangsUp: false, limit: limit)
    }
    #expect(throws: DBusError(.timedOut)) { try ask([], hangsUp: false, limit: limit) }
  }

  @Test func `where nobody listens there is no bus`() {
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

/// Where one connection is taken.
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

  /// Says it in small pieces, once something was said to it; reads until the other end hangs up if it is not to.
  func serve(_ said: [UInt8], hangsUp: Bool) {
    let connection = accept(descriptor, nil, nil)
    defer { close(connection) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    _ = unsafe read(connection, &buffer, buffer.count)
    for start in stride(from: 0, to: said.count, by: 7) {
      var piece = Array(said[start..<min(start + 7, said.count)])
      guard unsafe send(connection, &piece, piece.count, 0x4000) > 0 else { return }
    }
    // A connection that is closed with words unread is reset, and what was said may be lost.
    if hangsUp { shutdown(connection, 1) }
    while unsafe read(connection, &buffer, buffer.count) > 0 {}
  }
}
#endif
