// SPDX-License-Identifier: Apache-2.0
import CCurl
import Foundation
import FoundationNetworking

@testable import ReachabilityHTTP

extension Check {
  /// The readers of answers to requests.
  static let answers = [
    Check("AnswerReader") { bytes throws(Finding) in
      guard let first = bytes.first else { return }
      var reader = AnswerReader(bodyLimit: bodyLimit(first))
      var rest = bytes.dropFirst()
      var (isReading, isInBody) = (true, false)
      while isReading, !rest.isEmpty {
        if isInBody {
          // Pieces of the size in the first byte, up to a zero.
          let end = rest.firstIndex(of: 0) ?? rest.endIndex
          let piece = rest[..<min(end, rest.startIndex + Int(first >> 2) + 1)]
          isReading = reader.read(body: Array(piece))
          rest = rest[piece.endIndex...]
          if rest.first == 0 { (isInBody, rest) = (false, rest.dropFirst()) }
        } else {
          let line = rest[...(rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex - 1)]
          isReading = reader.read(line: Array(line))
          rest = rest[line.endIndex...]
          // In each half of the inputs one form of the empty line ends a head, and the other ends that of an interim
          // answer.
          isInBody = line.elementsEqual((first & 4 == 0 ? "\r\n" : "\n").utf8)
        }
      }
      let text = String(decoding: bytes.prefix(100), as: UTF8.self)
      let end = TransferEnd(code: CInt(first >> 2), text: text, proxyStatus: first == 255 ? 511 : 0)
      try expectSound(reader.result(of: end, from: address()), bodyLimit(first), bytes.count)
    },
    Check("Transfer") { bytes throws(Finding) in
      guard let first = bytes.first else { return }
      guard let curl = Curl.loaded,
        let request = try? PlainRequest(URLRequest(url: address())),
        let handle = CurlHandle(request, bodyLimit: bodyLimit(first), timeout: .seconds(4), curl: curl)
      else { throw Finding(claim: "libcurl is missing") }
      let code = transfer(Array(bytes.dropFirst()), to: handle, curl)
      try expect(code != CurlCode.notConnected.rawValue, "libcurl does not connect")
      try expect(code != CurlCode.timedOut.rawValue, "libcurl waits for data that does not come")
      try expectSound(handle.result(code, from: address()), bodyLimit(first), 1 << 20)
    },
  ]

  private static func address() throws(Finding) -> URL {
    guard let url = URL(string: "http://127.0.0.1/") else { throw Finding(claim: "no address") }
    return url
  }

  private static func bodyLimit(_ first: UInt8) -> Int { [0, 1, 100, 1 << 20][Int(first & 3)] }
}

/// Expects that the result of a request is bounded, and valid in HTTP.
private func expectSound(
  _ result: Result<HTTPAnswer, NoAnswer>, _ bodyLimit: Int, _ size: Int
) throws(Finding) {
  switch result {
  case .success(let answer):
    let status = answer.response.statusCode
    try expect(status == 101 || (200...999).contains(status), "status \(status)")
    try expect(answer.body.count <= min(bodyLimit, size), "\(answer.body.count) bytes of a body")
    let fields = answer.response.allHeaderFields.reduce(0) { sum, field in
      sum + "\(field.key)\(field.value)".utf8.count
    }
    // Each byte that is not UTF-8 becomes three bytes.
    try expect(fields <= 3 * min(size, AnswerReader.headLimit), "\(fields) bytes of header fields")
  case .failure(let error):
    // An excerpt and its quotation marks, or libcurl's text.
    let text = "\(error.verdict)"
    try expect(!text.isEmpty && text.unicodeScalars.count < 300, "\(text)")
  }
}

/// A server in this process, to which libcurl connects without a network.
private struct Server {
  /// The option `CURLOPT_ABSTRACT_UNIX_SOCKET`.
  private static let abstractSocket: CInt = 10264
  /// The name of its socket in the abstract namespace.
  private static let name = "reachability-fuzz-\(getpid())"

  /// The listening socket, which is never closed.
  static let listening: CInt = {
    let socket = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // An abstract name begins with a zero byte.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
      for (place, byte) in name.utf8.enumerated() { unsafe path[place + 1] = byte }
    }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
    let isListening = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(socket, $0, size) == 0 }
    }
    precondition(isListening && listen(socket, 8) == 0, "no server")
    return socket
  }()

  /// Makes libcurl connect to this server, whatever the URL.
  static func serve(_ handle: CurlHandle, _ curl: Curl) {
    _ = listening
    unsafe _ = ccurl_set_pointer(curl.setopt, handle.easy, abstractSocket, name)
  }
}

/// Lets libcurl make a request to a server that sends these bytes and closes the connection; returns its code.
private func transfer(_ bytes: [UInt8], to handle: CurlHandle, _ curl: Curl) -> CInt {
  Server.serve(handle, curl)
  guard let multi = unsafe curl.multiInit() else { return CurlCode.outOfMemory.rawValue }
  unsafe _ = curl.multiAdd(multi, handle.easy)
  var connection: CInt = -1
  defer {
    unsafe _ = curl.multiRemove(multi, handle.easy)
    unsafe _ = curl.multiCleanup(multi)
    close(connection)
  }
  while true {
    var (running, rest): (CInt, CInt) = (0, 0)
    guard unsafe curl.perform(multi, &running) == 0 else { return CurlCode.outOfMemory.rawValue }
    if let message = unsafe curl.nextMessage(multi, &rest) { return unsafe message.pointee.data.code }
    if connection < 0 {
      connection = accept(Server.listening, nil, nil)
      if connection >= 0 {
        _ = unsafe send(connection, bytes, bytes.count, CInt(MSG_DONTWAIT))
        shutdown(connection, CInt(SHUT_WR))
      }
    }
    unsafe _ = curl.poll(multi, nil, 0, 5000, nil)
  }
}
