// SPDX-License-Identifier: Apache-2.0
extension ReachabilityTarget {
  /// The name of a host, in the form that resolvers accept.
  ///
  /// Names that differ only in case are equal (RFC 4343). A dot at the end marks a fully qualified name, for which no
  /// search domain is tried.
  public struct HostName: Hashable, Sendable, CustomStringConvertible {
    /// The name in lower case, for example `www.example.com`.
    public let text: String

    /// The reason why a text is not a host name.
    enum Problem: Error, Equatable {
      case empty
      case emptyLabel
      case longLabel
      case longName
      case notASCII
      case character(Character)
      case hyphen
      case number
    }

    /// Parses a name.
    ///
    /// A name has labels of 1 to 63 octets with dots between them, 253 octets together (RFC 1123). A label consists
    /// of letters, digits, underscores and hyphens, and neither begins nor ends with a hyphen.
    ///
    /// - Parameter text: The text to parse.
    /// - Throws: ``ReachabilityTargetError`` with code `malformedName`, which says what is wrong.
    public init(_ text: String) throws(ReachabilityTargetError) {
      do throws(Problem) {
        try self.init(checking: text)
      } catch {
        throw ReachabilityTargetError(.malformedName, text: text, detail: error.description)
      }
    }

    init(checking text: some StringProtocol) throws(Problem) {
      let name = text.hasSuffix(".") ? String(text.dropLast()) : String(text)
      guard !name.isEmpty else { throw text.isEmpty ? .empty : .emptyLabel }
      guard name.utf8.allSatisfy({ $0 < 0x80 }) else { throw .notASCII }
      guard name.utf8.count <= 253 else { throw .longName }
      let labels = name.split(separator: ".", omittingEmptySubsequences: false)
      for label in labels {
        guard !label.isEmpty else { throw .emptyLabel }
        guard label.utf8.count <= 63 else { throw .longLabel }
        if let other = label.first(where: { !$0.isAllowedInNames }) { throw .character(other) }
        guard label.first != "-", label.last != "-" else { throw .hyphen }
      }
      // Resolvers parse these as IPv4 addresses in an obsolete form.
      guard let last = labels.last, !last.isNumber else { throw .number }
      self.text = text.lowercased()
    }

    /// The name.
    public var description: String { text }

    /// Whether the name always means this machine, whatever name servers answer (RFC 6761, section 6.3).
    var isLocalHost: Bool {
      let name = text.hasSuffix(".") ? text.dropLast() : text[...]
      return name == "localhost" || name.hasSuffix(".localhost")
    }

    /// Whether the hosts of the link are asked for the name, not a name server (RFC 6762, section 3).
    var isOfMulticast: Bool { (text.hasSuffix(".") ? text.dropLast() : text[...]).hasSuffix(".local") }

    /// The part of the name that one name server probably serves: its last two labels.
    var zone: Substring {
      let name = text.hasSuffix(".") ? text.dropLast() : text[...]
      guard let last = name.lastIndex(of: "."), let before = name[..<last].lastIndex(of: ".") else {
        return name
      }
      return name[name.index(after: before)...]
    }
  }
}

extension ReachabilityTarget.HostName.Problem: CustomStringConvertible {
  var description: String {
    switch self {
    case .empty: "it is empty"
    case .emptyLabel: "it has an empty part between dots"
    case .longLabel: "a part between dots has more than 63 octets"
    case .longName: "it has more than 253 octets"
    case .notASCII:
      "only the ASCII form of internationalised names is accepted, for example xn--bcher-kva.example"
    case .character(let character): "'\(character)' is not allowed in a name"
    case .hyphen: "a part between dots begins or ends with a hyphen"
    case .number: "its last part is a number, as in an IPv4 address, which has four decimal parts"
    }
  }
}

extension Character {
  fileprivate var isAllowedInNames: Bool {
    isASCII && (isLetter || ("0"..."9").contains(self) || self == "-" || self == "_")
  }
}

extension Substring {
  fileprivate var isNumber: Bool {
    if utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return true }
    return lowercased().hasPrefix("0x") && dropFirst(2).allSatisfy(\.isHexDigit)
  }
}

extension ReachabilityTarget {
  /// The transport of a URL's connections, and the port if the URL has none.
  struct Service {
    var transport: Transport
    var port: UInt16?

    /// Looks up a URL's scheme, ignoring case; `nil` for an unknown scheme.
    ///
    /// The ports are those of IANA's registries of URI schemes and of service names.
    init?(scheme: Substring) {
      transport = .tcp
      switch scheme.lowercased() {
      case "tcp": port = nil
      case "udp": (transport, port) = (.udp, nil)
      case "http", "ws": port = 80
      case "https", "wss": port = 443
      case "ftp": port = 21
      case "ssh", "sftp": port = 22
      case "telnet": port = 23
      case "smtp": port = 25
      case "pop": port = 110
      case "nntp": port = 119
      case "imap": port = 143
      case "ldap": port = 389
      case "smb": port = 445
      case "rtsp": port = 554
      case "ipp": port = 631
      case "ldaps": port = 636
      case "rsync": port = 873
      case "imaps": port = 993
      case "mqtt": port = 1883
      case "nfs": port = 2049
      case "mysql": port = 3306
      case "postgres", "postgresql": port = 5432
      case "amqps": port = 5671
      case "amqp": port = 5672
      case "redis": port = 6379
      case "git": port = 9418
      case "coap": (transport, port) = (.udp, 5683)
      case "tftp": (transport, port) = (.udp, 69)
      default: return nil
      }
    }
  }
}
