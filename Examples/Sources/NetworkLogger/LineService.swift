import Dispatch
import Foundation

/// A minimal server: it sends a text to each connection and closes it.
struct LineService {
  private let source: any DispatchSourceRead

  /// Listens on this machine's loopback address.
  init(port: UInt16, answering text: @escaping @Sendable () -> String) throws {
    #if os(Linux)
    let stream = Int32(SOCK_STREAM.rawValue)
    #else
    let stream = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, stream, 0)
    guard listener >= 0 else { throw POSIXError.last }
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isBound, listen(listener, 16) == 0 else {
      defer { close(listener) }
      throw POSIXError.last
    }
    // A client that disconnects early must not end the program.
    signal(SIGPIPE, SIG_IGN)

    source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: DispatchQueue(label: "service"))
    source.setEventHandler {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { return }
      // The text fits into the socket's buffer, so a client that does not read blocks nothing.
      try? FileHandle(fileDescriptor: connection, closeOnDealloc: true).write(contentsOf: Data(text().utf8))
    }
    source.setCancelHandler { close(listener) }
    source.activate()
  }

  /// Stops accepting connections.
  func stop() { source.cancel() }
}

extension POSIXError {
  /// The error of the last failed call.
  fileprivate static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
