// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import POSIX
import Synchronization

@testable import Netlink
@testable import ReachabilityKit

/// A kernel with valid tables and announcements, and with the input's messages between them.
private final class MixedKernel: Transport {
  private struct State {
    var sound = Sound.now
    var waiting: [(bytes: [UInt8], isAnnouncement: Bool)] = []
  }

  /// The input's messages that do not end a list, which valid kernels may send at any time.
  let hostile: [[UInt8]]
  /// The decoded events of these messages; `nil` if a message is unreadable.
  let events: [RouteEvent?]
  /// The bytes after them, which are not a message.
  private let rest: [UInt8]
  private let state = Mutex(State())

  init(_ input: [UInt8]) {
    var hostile: [[UInt8]] = []
    var reader = MessageReader(in: 0..<input.count)
    var end = 0
    while let message = try? reader.next(RawSpan(_elements: input.span)) {
      let start = message.payload.lowerBound - MessageHeader.size
      end = min((message.payload.upperBound + 3) & ~3, input.count)
      if ![.error, .done].contains(message.header.type) {
        hostile.append(Array(input[start..<message.payload.upperBound]))
      }
    }
    self.hostile = hostile
    events = hostile.map(\.event)
    rest = Array(input[end...])
  }

  /// The number of unreadable messages in the input; trailing bytes count as one.
  var unreadableCount: Int { events.count { $0 == nil } + (rest.isEmpty ? 0 : 1) }

  /// The number of reads of a table with the input's messages, which may announce a change in between.
  var attempts: Int { hostile.contains { $0[6] & 0x10 != 0 } ? Conversation.attempts : 1 }

  /// Restores the initial valid state.
  func startAgain() {
    state.withLock { $0 = State() }
  }

  /// Adds and announces the later valid objects, with the input in between.
  func announceLater() {
    state.withLock { state in
      state.sound = Sound.later
      let messages = state.sound.links.suffix(1) + state.sound.addresses.suffix(1)
      state.waiting.append((mixed(messages.map { $0 }, sequence: 0), true))
      // Messages after bytes that are not a message are lost.
      state.waiting += messages.map { ($0, true) }
    }
  }

  /// Returns the messages, with the input's between and after them.
  func mixed(_ messages: [[UInt8]], sequence: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<max(messages.count, hostile.count) {
      if index < hostile.count { bytes += addressed(hostile[index], sequence) }
      if index < messages.count { bytes += addressed(messages[index], sequence) }
    }
    return bytes + rest
  }

  /// Returns the message with its padding, as an answer to a request.
  private func addressed(_ message: [UInt8], _ sequence: UInt32) -> [UInt8] {
    var message = message
    for index in 0..<4 {
      message[8 + index] = UInt8(truncatingIfNeeded: sequence >> (8 * UInt32(index)))
      message[12 + index] = index == 0 ? UInt8(port) : 0
    }
    while message.count & 3 != 0 { message.append(0) }
    return message
  }

  // MARK: Transport

  var pollDescriptor: CInt { -1 }
  var port: UInt32 { 42 }

  func send(_ bytes: RawSpan) throws(Errno) {
    var reader = MessageReader(in: 0..<bytes.byteCount)
    guard let request = try? reader.next(bytes) else { return }
    state.withLock { state in
      let sequence = request.header.sequence
      let messages = state.sound.messages(of: request, bytes)
      // The last entry and the end are separate: nothing after invalid bytes can be found.
      state.waiting.append((mixed(messages.dropLast(), sequence: sequence), false))
      state.waiting += (messages.suffix(1) + [Sound.done]).map { (addressed($0, sequence), false) }
    }
  }

  func receive(into buffer: inout [UInt8], blocking: Bool) throws(Errno) -> Datagram {
    let next = state.withLock { state in
      // Requests receive answers, listeners all other messages.
      let index = state.waiting.firstIndex { $0.isAnnouncement != blocking } ?? state.waiting.indices.first
      return index.map { state.waiting.remove(at: $0) }
    }
    guard let next else { throw .wouldBlock }
    let count = min(next.bytes.count, buffer.count)
    buffer.replaceSubrange(0..<count, with: next.bytes[..<count])
    return Datagram(count: next.bytes.count, senderPort: 0, isAnnouncement: next.isAnnouncement)
  }

  func setFilter(_ filter: SocketFilter?) throws(Errno) {}

  func setMembership(_ group: MulticastGroup, joined: Bool) throws(Errno) {}
}

/// The valid objects: three links with an address each, and a rule of each family; later one more link.
private struct Sound {
  var links: [[UInt8]] = []
  var addresses: [[UInt8]] = []
  var rules: [[UInt8]] = []

  /// Indexes that the input is unlikely to contain.
  static let indexes: [Int32] = [0x5eed_0001, 0x5eed_0002, 0x5eed_0003, 0x5eed_0004]
  static let now = Sound(isLater: false)
  static let later = Sound(isLater: true)
  static let done = message(.done) { $0.append(Int32(0)) }

  init(isLater: Bool) {
    for index in Self.indexes.prefix(isLater ? 4 : 3) {
      var link = LinkMessage()
      (link.index, link.name, link.flags) = (index, InterfaceName("s\(index)"), [.up, .lowerUp])
      (link.operationalState, link.alternativeNames) = (.up, [InterfaceName("sound\(index)")])
      links.append(Self.message(.newLink) { link.encode(into: &$0) })
      let address = AddressMessage(
        .v4(.init(rawValue: 0x0a5e_0001 | UInt32(index & 7) << 8)), 24, on: index)
      addresses.append(Self.message(.newAddress) { address.encode(into: &$0) })
    }
    for (family, source) in [(.ipv4, "10.94.0.0"), (.ipv6, "fd5e::")]
      as [(AddressFamily, ReachabilityAddress)]
    {
      var rule = Rule()
      (rule.family, rule.source, rule.userIDs) = (family, IPPrefix(source, length: 16), .init(65534, 1000))
      rules.append(Self.message(.newRule) { rule.encode(into: &$0) })
    }
  }

  /// Returns the entries of the requested table.
  func messages(of request: Message, _ bytes: RawSpan) -> [[UInt8]] {
    switch request.header.type {
    case .getLink: return links
    case .getAddress: return addresses
    case .getRule:
      let family: UInt8? = try? bytes.integer(at: request.payload.lowerBound, before: bytes.byteCount)
      return rules.filter { $0[MessageHeader.size] == family }
    default: return []
    }
  }

  private static func message(_ type: MessageType, _ encode: (inout MessageEncoder) -> Void) -> [UInt8] {
    var encoder = MessageEncoder()
    encoder.beginMessage(type: type, flags: .multipart, sequence: 0)
    encode(&encoder)
    encoder.endMessage()
    return encoder.bytes
  }
}

extension [UInt8] {
  /// The event of a single message, or `nil` if it is unreadable.
  fileprivate var event: RouteEvent? {
    let bytes = RawSpan(_elements: span)
    var reader = MessageReader(in: 0..<count)
    guard let message = try? reader.next(bytes) else { return nil }
    return try? RouteEvent(message, of: bytes)
  }
}

extension RouteEvent {
  /// The link that the event is about.
  fileprivate var index: Int32? {
    switch self {
    case .link(let message), .linkRemoved(let message): message.index
    case .address(let message), .addressRemoved(let message): message.index
    default: nil
    }
  }
}

extension Check {
  /// Partly hostile tables and announcements: no valid object is lost, and the rest is counted.
  static let tables = [
    Check("TableReader", .messages) { bytes throws(Finding) in
      let kernel = MixedKernel(bytes)
      try checkAnnouncements(kernel)
      try checkTracker(kernel)
    }
  ]

  private static func checkAnnouncements(_ kernel: MixedKernel) throws(Finding) {
    var subscription = RouteSubscription(over: kernel)
    kernel.announceLater()
    var events: [RouteEvent?] = []
    _ = try? subscription.drain(limit: 100) { events.append($0) }
    let sound = Sound.later
    for message in sound.links.suffix(1) + sound.addresses.suffix(1) {
      // Once alone; before that, after the hostile messages.
      try expect(events.count { $0 == message.event } >= 2, "a valid announcement is lost")
    }
    try expect(
      subscription.conversation.unreadableMessages == kernel.unreadableCount
        && events.count { $0 == nil } == kernel.unreadableCount,
      "\(subscription.conversation.unreadableMessages) unreadable announcements, expected \(kernel.unreadableCount)"
    )
  }

  private static func checkTracker(_ kernel: MixedKernel) throws(Finding) {
    kernel.startAgain()
    var tracker = NetworkTracker(events: kernel, questions: kernel)
    guard (try? tracker.start(NetworkTracker.allGroups)) != nil else {
      throw Finding(claim: "the tracker does not start")
    }
    try expectSound(tracker.networkState, Sound.now, kernel)
    // Links, addresses, and rules of two families.
    let unreadable = 4 * kernel.attempts * kernel.unreadableCount
    try expect(
      tracker.diagnostics.unreadableMessages == unreadable,
      "\(tracker.diagnostics.unreadableMessages) unreadable messages, expected \(unreadable)")
    kernel.announceLater()
    _ = tracker.readChange()
    try expect(tracker.failure == nil, "\(tracker.failure?.description ?? "") after announcements")
    try expectSound(tracker.networkState, Sound.later, kernel)
  }

  /// Expects all valid objects in the tables, except those that the input validly changes.
  private static func expectSound(_ state: NetworkState, _ sound: Sound, _ kernel: MixedKernel)
    throws(Finding)
  {
    let touched = Set(kernel.events.compactMap { $0?.index })
    for event in (sound.links + sound.addresses).compactMap(\.event) {
      guard let index = event.index, !touched.contains(index) else { continue }
      switch event {
      case .link(let link):
        try expect(state.links[index] == LinkState(link, since: nil), "link \(index) is lost")
      case .address(let address):
        try expect(state.addresses[index]?.contains(address) ?? false, "\(index)'s address is lost")
      default: break
      }
    }
    for case .rule(let rule)? in sound.rules.map(\.event) {
      try expect(state.sourceRules.contains(rule), "a rule is lost")
    }
  }
}
