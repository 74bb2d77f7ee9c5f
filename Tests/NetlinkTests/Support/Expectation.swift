#if os(Linux)
import Testing
@testable import Netlink

/// What a recorded message says, worked out from its comments.
struct Expectation: Sendable, CustomTestStringConvertible {
  var fixture: String
  var header: MessageHeader
  var content: @Sendable (Fixture) -> Content

  /// What a message is read as.
  enum Content: Equatable, Sendable {
    case event(RouteEvent)
    case acknowledgement(Acknowledgement)
  }

  /// An announcement, or a part of an answer.
  init(_ fixture: String, _ header: MessageHeader, event: @escaping @Sendable (Fixture) -> RouteEvent) {
    self.fixture = fixture
    self.header = header
    content = { .event(event($0)) }
  }

  /// A yes or no.
  init(_ fixture: String, _ header: MessageHeader, _ acknowledgement: Acknowledgement) {
    self.fixture = fixture
    self.header = header
    content = { _ in .acknowledgement(acknowledgement) }
  }

  var testDescription: String { fixture }

  static let all = links + addresses + routes + rules + nexthops + configurations + answers
}

extension Expectation.Content {
  /// Reads the one message of a datagram.
  init(decoding datagram: [UInt8]) throws {
    let bytes = RawSpan(_elements: datagram.span)
    var reader = MessageReader(in: 0..<datagram.count)
    let message = try #require(try reader.next(bytes))
    #expect(try reader.next(bytes) == nil)
    switch try Answer(message, of: bytes) {
    case .acknowledgement(let acknowledgement): self = .acknowledgement(acknowledgement)
    case .message(let message): self = .event(try RouteEvent(message, of: bytes))
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
