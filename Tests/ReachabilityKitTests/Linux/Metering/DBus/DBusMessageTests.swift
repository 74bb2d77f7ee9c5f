// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import TestSupport
import Testing

@testable import ReachabilityKit

@Suite("D-Bus messages", .deadline)
struct DBusMessageTests {
  @Test func `a recorded answer is decoded in full`() throws {
    let name = try DBusMessage(RecordedDBusMessage.nameAnswer)
    #expect(name.kind == .answer)
    #expect(name.replySerial == 1)
    #expect(name.sender == "org.freedesktop.DBus")
    #expect(name.signature == "s")
    #expect(name.errorName == nil)
    #expect(try name.string() == ":1.1")

    let device = try DBusMessage(RecordedDBusMessage.deviceAnswer)
    #expect(device.replySerial == 2)
    #expect(try device.string() == "/org/freedesktop/NetworkManager/Devices/7")
  }

  @Test(arguments: [RecordedDBusMessage.meteredAnswer, RecordedDBusMessage.bigEndianAnswer])
  func `a number is decoded in either byte order`(_ bytes: [UInt8]) throws {
    let answer = try DBusMessage(bytes)
    #expect(answer.replySerial == 2)
    #expect(answer.sender == ":1.0")
    #expect(try answer.numberInVariant() == 1)
  }

  @Test func `an error has its name`() throws {
    let error = try DBusMessage(RecordedDBusMessage.errorAnswer)
    #expect(error.kind == .error)
    #expect(error.replySerial == 2)
    #expect(error.errorName == "org.freedesktop.NetworkManager.UnknownDevice")
  }

  @Test func `a signal has its name and its arguments`() throws {
    let announcement = try DBusMessage(RecordedDBusMessage.announcement)
    #expect(announcement.kind == .signal)
    #expect(announcement.member == "NameAcquired")
    #expect(announcement.replySerial == nil)
    #expect(announcement.mentions(":1.1"))
    #expect(!announcement.mentions(":1."))
    // The name is in the header, not in the body.
    #expect(!announcement.mentions("NameAcquired"))
  }

  @Test func `a body of an unexpected type is refused`() throws {
    let name = try DBusMessage(RecordedDBusMessage.nameAnswer)
    let metered = try DBusMessage(RecordedDBusMessage.meteredAnswer)
    #expect(throws: DBusError(.malformed, "signature")) { try name.number() }
    #expect(throws: DBusError(.malformed, "signature")) { try name.numberInVariant() }
    #expect(throws: DBusError(.malformed, "signature")) { try metered.string() }
    var text = RecordedDBusMessage.meteredAnswer
    text[text.count - 7] = UInt8(ascii: "i")
    #expect(throws: DBusError(.malformed, "value's type")) { try DBusMessage(text).numberInVariant() }
  }

  @Test func `the length is decoded from the first bytes`() throws {
    for bytes in RecordedDBusMessage.all {
      #expect(try DBusMessage.length(ofPrefix: bytes.prefix(16)) == bytes.count)
      #expect(throws: DBusError.self) { try DBusMessage.length(ofPrefix: bytes.prefix(15)) }
    }
  }

  @Test(arguments: [4, 12]) func `a message longer than any expected answer is refused`(_ place: Int) {
    for length in [65537, 0x7fff_ffff, 0x8000_0000, UInt32.max] {
      var bytes = RecordedDBusMessage.nameAnswer
      for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(index))) }
      #expect(throws: DBusError(.malformed, "too long")) { try DBusMessage.length(ofPrefix: bytes) }
      #expect(throws: DBusError(.malformed, "too long")) { try DBusMessage(bytes) }
    }
  }

  @Test func `a truncated message is refused`() {
    for bytes in RecordedDBusMessage.all {
      for length in 0..<bytes.count {
        #expect(throws: DBusError.self) { try DBusMessage(Array(bytes.prefix(length))) }
      }
    }
  }

  /// Decodes every readable part.
  private func read(_ bytes: [UInt8]) throws {
    let message = try DBusMessage(bytes)
    _ = try? message.string()
    _ = try? message.number()
    _ = try? message.numberInVariant()
    _ = message.mentions("Metered")
  }

  @Test func `a message with any byte changed is decoded or refused`() {
    for bytes in RecordedDBusMessage.all {
      for index in bytes.indices {
        for value in [0, 1, 7, 0x7f, 0x80, 0xff, bytes[index] &+ 1, bytes[index] &- 1, bytes[index] ^ 0x20] {
          var changed = bytes
          changed[index] = value
          _ = try? read(changed)
        }
      }
    }
  }

  @Test func `random bytes after a valid header are decoded or refused`() {
    var generator = SeededGenerator(seed: 42)
    for _ in 0..<20_000 {
      let fields = Int.random(in: 0..<64, using: &generator)
      let body = Int.random(in: 0..<32, using: &generator)
      var bytes: [UInt8] = [0x6c, 2, 0, 1, UInt8(body), 0, 0, 0, 1, 0, 0, 0, UInt8(fields), 0, 0, 0]
      let count = (fields + 7) / 8 * 8 + body
      // Types and small numbers, so that more than the first field is decoded.
      let likely: [UInt8] = [0, 0, 0, 1, 1, 2, 3, 4, 5, 7, 8] + Array("usgovxyb".utf8)
      bytes += (0..<count).map { _ in likely.randomElement(using: &generator) ?? 0 }
      _ = try? read(bytes)
    }
  }
}

@Suite("D-Bus calls", .deadline)
struct DBusCallTests {
  private func expect(_ call: DBusCall, _ recorded: [UInt8]) {
    var expected = recorded
    // Calls of this library set NO_AUTO_START, unlike the recorded ones: a query must not start a service.
    expected[2] = 2
    #expect(call.encoded(serial: 2) == expected)
  }

  @Test func `a call has the encoding of libdbus`() {
    let manager = "org.freedesktop.NetworkManager"
    expect(
      DBusCall(
        destination: manager, path: "/org/freedesktop/NetworkManager", interface: manager,
        member: "GetDeviceByIpIface", arguments: ["v0"]),
      RecordedDBusMessage.deviceCall)
    expect(
      DBusCall(
        destination: manager, path: "/org/freedesktop/NetworkManager/Devices/7",
        interface: "org.freedesktop.DBus.Properties", member: "Get",
        arguments: ["org.freedesktop.NetworkManager.Device", "Metered"]),
      RecordedDBusMessage.propertyCall)
  }

  @Test func `a call without arguments has no body`() throws {
    let bytes = DBusCall(destination: "a.b", path: "/", interface: "c.d", member: "E").encoded(serial: 7)
    #expect(bytes[4..<8] == [0, 0, 0, 0])
    #expect(bytes.count % 8 == 0)
    let message = try DBusMessage(bytes)
    #expect(message.member == "E")
    #expect(message.signature == "")
  }
}

@Suite("D-Bus addresses", .deadline)
struct DBusAddressTests {
  @Test(
    arguments: [
      ("unix:path=/run/dbus/system_bus_socket", [.path("/run/dbus/system_bus_socket")]),
      ("unix:path=/a,guid=1f;unix:guid=2f,abstract=b", [.path("/a"), .abstract("b")]),
      ("unix:path=/a%20b%2fc", [.path("/a b/c")]),
      ("unix:path=/%c3%a9", [.path("/é")]),
      ("tcp:host=localhost,port=1;unix:path=/a", [.path("/a")]),
      ("unix:path=/a%2;unix:path=/a%zz;unix:path=/a%00b;unix:path=/%ff;unix:path=/a%+1", []),
      ("unix:path=;unix:;unix:path;unix;;unix:tmpdir=/tmp;path=/a", []),
      ("unix:path=/a=b", [.path("/a=b")]),
      ("", []),
    ] as [(String, [DBusAddress])])
  func `a list of addresses yields its Unix sockets`(_ text: String, _ expected: [DBusAddress]) {
    #expect(DBusAddress.list(text) == expected)
  }
}
#endif
