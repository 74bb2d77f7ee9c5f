// SPDX-License-Identifier: Apache-2.0
import Foundation

@testable import POSIX
@testable import ReachabilityKit

extension Check {
  /// Messages from a bus, and the addresses of buses.
  static let buses = [
    Check("DBusMessage", .dbus) { bytes throws(Finding) in
      // One after the other, as they arrive at a socket.
      var rest = bytes[...]
      while let length = try? DBusMessage.length(ofPrefix: rest) {
        try expect((16...DBusMessage.lengthLimit).contains(length), "a message of \(length) bytes")
        guard rest.count >= length else { return }
        if let message = try? DBusMessage(Array(rest.prefix(length))) { try check(message) }
        rest = rest.dropFirst(length)
      }
    },
    Check("DBusConnection", .dbus) { bytes throws(Finding) in
      let isMessage = ["l", "B"].map(UInt8.init(ascii:)).contains(bytes.first)
      try converse(with: HostileBus(saying: isMessage ? Array("DATA\r\nOK\r\n".utf8) + bytes : bytes))
    },
    Check("DBusAddress") { bytes throws(Finding) in
      // Environment variables end at a zero.
      for address in DBusAddress.list(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)) {
        let (key, value) =
          switch address {
          case .path(let value): ("path", value)
          case .abstract(let value): ("abstract", value)
          }
        try expect(
          !value.isEmpty && !value.utf8.contains(0), "not a socket name: \(value.debugDescription)")
        let escaped = value.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try expect(DBusAddress.list("unix:\(key)=\(escaped)") == [address], "\(address) is not read back")
      }
    },
  ]

  /// Queries three times; each query ends, and no reply belongs to another query.
  private static func converse(with bus: HostileBus) throws(Finding) {
    var areAnswers = true
    do throws(DBusError) {
      var connection = try DBusConnection(bus.address, until: Moment.now.advanced(by: .seconds(60))) {
        message, _ in
        message.member != nil
      }
      bus.speak()
      try connection.authenticate()
      let call = DBusCall(destination: "a.b", path: "/", interface: "c.d", member: "Hello")
      for serial in try connection.send([call, call, call]).reversed() {
        let answer = try connection.answer(to: serial)
        areAnswers = areAnswers && answer.kind == .answer && answer.replySerial == serial
      }
      _ = try connection.readSignals()
    } catch {
      try expect(error.code != .timedOut, "a closed bus is waited for")
    }
    try expect(areAnswers, "a reply to another query")
  }

  private static func check(_ message: DBusMessage) throws(Finding) {
    let text = try? message.string()
    let number = try? message.number()
    let variant = try? message.numberInVariant()
    try expect([text != nil, number != nil, variant != nil].count(where: \.self) <= 1, "a body of two types")
    let texts = [message.member, message.errorName, message.sender, text].compactMap(\.self)
    try expect(texts.allSatisfy { !$0.utf8.contains(0) }, "a zero in a text")
    try expect(text.map(message.mentions) ?? true, "the body's text is not found in the message")

    let call = DBusCall(
      destination: message.sender ?? "", path: "/", interface: "", member: message.member ?? "",
      arguments: text.map { [$0] } ?? [])
    guard let read = try? DBusMessage(call.encoded(serial: 1)) else {
      // A name and an argument that are both near the limit exceed it together.
      return try expect(texts.contains { $0.utf8.count > 1024 }, "a call is not read back")
    }
    try expect(read.member == call.member, "another member is read back")
    try expect((try? read.string()) == text, "another argument is read back")
  }
}

/// A bus that sends the input and closes the connection.
private final class HostileBus {
  private static let name = "fuzz-\(getpid())"

  private static let listener: CInt = {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0[1...].copyBytes(from: name.utf8) }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
    let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(listener, $0, size) }
    }
    guard result == 0, listen(listener, 1) == 0 else { fatalError("no bus: \(errno)") }
    return listener
  }()

  let address = DBusAddress.abstract(name)
  private let said: [UInt8]
  private var peer: CInt = -1

  init(saying said: [UInt8]) {
    self.said = said
    _ = Self.listener
  }

  /// Sends everything to the connected client.
  func speak() {
    peer = accept(Self.listener, nil, nil)
    _ = unsafe write(peer, said, said.count)
    shutdown(peer, CInt(SHUT_WR))
  }

  deinit { close(peer) }
}
