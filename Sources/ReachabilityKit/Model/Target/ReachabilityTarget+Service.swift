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
