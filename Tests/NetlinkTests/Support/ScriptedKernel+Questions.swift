// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import NetlinkSupport
@testable import Netlink

/// A delivered answer.
enum Answered: Equatable {
  case route(Int, to: ReachabilityAddress?)
  case acknowledgement(Int, Acknowledgement)
}

extension ScriptedKernel {
  /// Creates a conversation with this kernel.
  func conversation(bufferSize: Int = 4096) -> Conversation {
    Conversation(over: self, bufferSize: bufferSize)
  }

  /// Creates a client of this kernel.
  func client() -> RouteClient {
    RouteClient(over: self)
  }

  /// Sends one batch of requests to this kernel and returns the answers in order of arrival.
  func ask(_ count: Int, bufferSize: Int = 4096) throws -> [Answered] {
    var conversation = conversation(bufferSize: bufferSize)
    return try conversation.ask(count)
  }

  /// Sends one request to this kernel.
  func askOne(bufferSize: Int = 4096) throws -> Answered {
    var conversation = conversation(bufferSize: bufferSize)
    return try conversation.askOne()
  }

  /// Dumps a table of this kernel and returns the indexes of its links.
  func list(bufferSize: Int = 4096) throws -> [Int32] {
    var conversation = conversation(bufferSize: bufferSize)
    return try conversation.list()
  }

  /// Sends one command to this kernel.
  func command(_ flags: MessageFlags = []) throws {
    var conversation = conversation()
    try conversation.command(flags)
  }
}

extension Conversation {
  mutating func ask(_ count: Int) throws -> [Answered] {
    var answers: [Answered] = []
    try batch("ask", type: .getRoute, count: count) { index, encoder in
      encoder.append(UInt32(index))
    } reply: { index, bytes, answer throws(DecodingError) in
      switch try Answer(answer, of: bytes) {
      case .message(let message):
        let route = try RouteMessage(decoding: bytes, in: message.payload)
        answers.append(.route(index, to: route.destination))
      case .acknowledgement(let acknowledgement):
        answers.append(.acknowledgement(index, acknowledgement))
      }
    }
    return answers
  }

  mutating func askOne() throws -> Answered {
    try request("ask once", type: .getRoute) { encoder in
      encoder.append(UInt32(7))
    } reply: { bytes, answer throws(DecodingError) in
      switch answer {
      case .message(let message):
        .route(7, to: try RouteMessage(decoding: bytes, in: message.payload).destination)
      case .acknowledgement(let acknowledgement): .acknowledgement(7, acknowledgement)
      }
    }
  }

  mutating func list() throws -> [Int32] {
    var indexes: [Int32] = []
    try dump("list", type: .getLink) { encoder in
      encoder.appendZeros(16)
    } restart: {
      indexes.removeAll()
    } each: { bytes, message throws(DecodingError) in
      indexes.append(try LinkMessage(decoding: bytes, in: message.payload).index)
    }
    return indexes
  }

  mutating func command(_ flags: MessageFlags = []) throws {
    try acknowledged("command", type: .newRoute, flags: flags) { $0.append(UInt32(7)) }
  }
}

extension Request {
  /// The number that ``Conversation/ask(_:)`` puts into a request.
  var question: UInt8 { payload.first ?? .max }

  /// The answer to a request: the route to 10.0.0.0 plus the request's number.
  var route: [UInt8] { route(to: .v4(.init(rawValue: 10 << 24 | UInt32(question)))) }

  /// A link in a dump.
  func link(_ index: Int32, flags: MessageFlags = []) -> [UInt8] {
    message(.newLink, flags: flags.union(.multipart)) { encoder in
      with(LinkMessage()) { $0.index = index }.encode(into: &encoder)
    }
  }
}

extension Answered {
  /// The answer ``Request/route``.
  static func route(_ index: Int) -> Answered {
    .route(index, to: .v4(.init(rawValue: 10 << 24 | UInt32(index))))
  }
}
#endif
