// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import PacketTrace
import Testing
@testable import Netlink

/// The expected value of a recorded message, derived from its comments.
struct Expectation: Sendable, CustomTestStringConvertible {
  var fixture: String
  var header: MessageHeader
  var content: @Sendable (Fixture) -> Content

  /// The sender, which the message's type does not identify.
  var sender = Sender.routes

  /// The part of the kernel that answers.
  enum Sender: Sendable {
    case routes
    case families
    case radios
    case neighbours
    case sockets
    case counters
    case traces
    case filterRules
    case filterChains
  }

  /// The decoded value.
  enum Content: Equatable, Sendable {
    case event(RouteEvent)
    case acknowledgement(Acknowledgement)
    case family(FamilyMessage)
    case radio(WirelessInterfaceMessage)
    case neighbour(NeighbourMessage)
    case socket(SocketMessage)
    case statistics(StatisticsMessage)
    case trace(TraceMessage)
    case filterRule(FilterRule)
    case filterChain(FilterChain)
  }

  /// An announcement, or a part of an answer.
  init(_ fixture: String, _ header: MessageHeader, event: @escaping @Sendable (Fixture) -> RouteEvent) {
    self.fixture = fixture
    self.header = header
    content = { .event(event($0)) }
  }

  /// A message of generic netlink.
  init(_ fixture: String, _ header: MessageHeader, from sender: Sender, _ content: Content) {
    self.init(fixture, header, from: sender) { _ in content }
  }

  /// An answer of a sender without announcements.
  init(
    _ fixture: String, _ header: MessageHeader, from sender: Sender,
    content: @escaping @Sendable (Fixture) -> Content
  ) {
    self.fixture = fixture
    self.header = header
    self.sender = sender
    self.content = content
  }

  /// An acknowledgement.
  init(_ fixture: String, _ header: MessageHeader, _ acknowledgement: Acknowledgement) {
    self.fixture = fixture
    self.header = header
    content = { _ in .acknowledgement(acknowledgement) }
  }

  var testDescription: String { fixture }

  static let all =
    links + devices + stacked + tunnels + addresses + routes + rules + nextHops + configurations + answers
    + generic + neighbours + sockets + traces + routerOptions
}

extension Expectation.Content {
  /// Decodes the only message of a datagram.
  init(decoding datagram: [UInt8], from sender: Expectation.Sender = .routes) throws {
    let bytes = RawSpan(_elements: datagram.span)
    var reader = MessageReader(in: 0..<datagram.count)
    let message = try #require(try reader.next(bytes))
    #expect(try reader.next(bytes) == nil)
    switch try Answer(message, of: bytes) {
    case .acknowledgement(let acknowledgement): self = .acknowledgement(acknowledgement)
    case .message(let message):
      self =
        switch sender {
        case .routes: .event(try RouteEvent(message, of: bytes))
        case .families: .family(try FamilyMessage(decoding: bytes, in: message.payload))
        case .neighbours: .neighbour(try NeighbourMessage(decoding: bytes, in: message.payload))
        case .sockets: .socket(try SocketMessage(decoding: bytes, in: message.payload))
        case .counters: .statistics(try StatisticsMessage(decoding: bytes, in: message.payload))
        case .traces: .trace(try TraceMessage(decoding: bytes, in: message.payload))
        case .filterRules: .filterRule(try FilterRule(decoding: bytes, in: message.payload))
        case .filterChains: .filterChain(try FilterChain(decoding: bytes, in: message.payload))
        case .radios: .radio(try WirelessInterfaceMessage(decoding: bytes, in: message.payload))
        }
    }
  }
}

/// Returns the value after a change.
func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
  var value = value
  change(&value)
  return value
}
#endif
