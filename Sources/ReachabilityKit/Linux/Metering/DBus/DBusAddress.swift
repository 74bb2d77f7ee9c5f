#if os(Linux)
/// The address of a bus: a Unix socket.
enum DBusAddress: Hashable, Sendable {
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
#endif
