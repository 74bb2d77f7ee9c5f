@testable import Reachability

extension Check {
  /// What comes from a bus, and what is said of where it is.
  static let buses = [
    Check("DBusMessage", .dbus) { bytes throws(Finding) in
      // One after the other, as they come from a socket.
      var rest = bytes[...]
      while let length = try? DBusMessage.length(ofPrefix: rest) {
        try expect((16...DBusMessage.lengthLimit).contains(length), "a message of \(length) bytes")
        guard rest.count >= length else { return }
        if let message = try? DBusMessage(Array(rest.prefix(length))) { try check(message) }
        rest = rest.dropFirst(length)
      }
    },
    Check("DBusAddress") { bytes throws(Finding) in
      // What comes from the environment ends at a zero.
      for address in DBusAddress.list(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)) {
        let (key, value) =
          switch address {
          case .path(let value): ("path", value)
          case .abstract(let value): ("abstract", value)
          }
        try expect(
          !value.isEmpty && !value.utf8.contains(0), "no name of a socket: \(value.debugDescription)")
        let escaped = value.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try expect(DBusAddress.list("unix:\(key)=\(escaped)") == [address], "\(address) is not read back")
      }
    },
  ]

  private static func check(_ message: DBusMessage) throws(Finding) {
    let text = try? message.string()
    let number = try? message.number()
    let variant = try? message.numberInVariant()
    try expect([text != nil, number != nil, variant != nil].count(where: \.self) <= 1, "a body of two types")
    let texts = [message.member, message.errorName, message.sender, text].compactMap(\.self)
    try expect(texts.allSatisfy { !$0.utf8.contains(0) }, "a zero in a text")
    try expect(text.map(message.mentions) ?? true, "a text that is the body is not mentioned there")

    let call = DBusCall(
      destination: message.sender ?? "", path: "/", interface: "", member: message.member ?? "",
      arguments: text.map { [$0] } ?? [])
    guard let read = try? DBusMessage(call.encoded(serial: 1)) else {
      // A name and an argument of nearly the limit are too long together.
      return try expect(texts.contains { $0.utf8.count > 1024 }, "a call is not read back")
    }
    try expect(read.member == call.member, "another member is read back")
    try expect((try? read.string()) == text, "another argument is read back")
  }
}
