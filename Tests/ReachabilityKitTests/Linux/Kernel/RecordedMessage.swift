// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import Testing
@testable import Netlink

/// Returns the event of a recording of the netlink tests.
func recordedEvent(_ name: String) throws -> RouteEvent {
  let bytes = try recordedBytes(name)
  var reader = MessageReader(in: 0..<bytes.count)
  let message = try #require(try reader.next(RawSpan(_elements: bytes.span)))
  return try RouteEvent(message, of: RawSpan(_elements: bytes.span))
}

/// Returns the link of a recording.
func recordedLink(_ name: String) throws -> LinkMessage {
  guard case .link(let link) = try recordedEvent(name) else { throw UnsuitableRecording(name: name) }
  return link
}

/// The error for a recording of another message.
struct UnsuitableRecording: Error {
  var name: String
}

/// Reads hexadecimal bytes with comments to the ends of the lines.
private func recordedBytes(_ name: String) throws -> [UInt8] {
  // The recordings are a resource of another test target, so they are read from the sources.
  let tests = URL(filePath: #filePath).appending(path: "../../../..").standardized
  let file = tests.appending(path: "NetlinkTests/Fixtures/\(name).hex")
  return try String(contentsOf: file, encoding: .utf8)
    .split(separator: "\n")
    .flatMap { $0.prefix { $0 != "#" }.split(separator: " ") }
    .map { try #require(UInt8($0, radix: 16), "\(name): \($0)") }
}
#endif
