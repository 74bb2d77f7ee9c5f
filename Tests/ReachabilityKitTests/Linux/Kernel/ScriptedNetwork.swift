// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import NetlinkSupport
import POSIX
import Synchronization
@testable import Netlink

/// A simulated kernel: tables of links, addresses and rules, routes, and announcements.
///
/// Members of a group receive its announcements; requests receive the present tables. Each request for a
/// table meets the next arranged trouble.
final class ScriptedNetwork: Sendable {
  /// An operation on one of the two sockets.
  enum Step: Equatable, Sendable {
    case joined(MulticastGroup)
    case left(MulticastGroup)
    case asked(MessageType)
  }

  /// A fault of one request for a table.
  enum Trouble: Sendable {
    case none
    /// The table changes during the dump.
    case interruption
    case refusal(Errno)
    /// The kernel does not answer.
    case silence
    /// Announcements arrive right after the table was read.
    case meanwhile([Delivery])
    /// Changes follow right after the table was read, and their messages are lost.
    case loss([RouteEvent])
  }

  /// A delivery to the members of a group.
  enum Delivery: Sendable {
    case event(RouteEvent)
    /// Messages were lost.
    case overrun
    case failure(Errno)
    case bytes([UInt8], port: UInt32)
  }

  fileprivate struct State {
    var links: [LinkMessage] = []
    var addresses: [AddressMessage] = []
    var rules: [Rule] = []
    var hasRules = true
    /// Further entries, as encoded payloads.
    var others: [(type: MessageType, payload: [UInt8])] = []
    var groups: Set<MulticastGroup> = []
    var announced: [Delivery] = []
    /// Waiting answers by the port of the requester.
    var answers: [UInt32: [[UInt8]]] = [:]
    var steps: [Step] = []
    var sends = 0
    var troubles: [Trouble] = []
    var refusedGroups: [MulticastGroup: Errno] = [:]
    var routes: [ReachabilityAddress: Result<RouteMessage, Errno>] = [:]
    /// The entries of the routing tables.
    var listedRoutes: [RouteMessage] = []
    var neighbours: [NeighbourMessage] = []
    var isSilent = false
    var filters = 0
  }

  private let state = Mutex(State())

  /// The socket that receives announcements.
  func events() -> ScriptedSocket { ScriptedSocket(network: self, hears: true, port: 1001) }
  /// The socket for requests only.
  func questions() -> ScriptedSocket { ScriptedSocket(network: self, hears: false, port: 1002) }

  /// The operations so far, in order.
  var steps: [Step] { state.withLock { $0.steps } }

  /// The number of datagrams with requests.
  var sends: Int { state.withLock { $0.sends } }

  /// The number of times that a socket got a filter.
  var filters: Int { state.withLock { $0.filters } }

  fileprivate func recordFilter(_ filter: SocketFilter?) {
    if filter != nil { state.withLock { $0.filters += 1 } }
  }

  /// Changes the tables and announces the changes.
  func change(_ events: RouteEvent...) {
    change(events)
  }

  /// Changes the tables and announces the changes.
  func change(_ events: [RouteEvent]) {
    state.withLock { state in
      for event in events {
        state.apply(event)
        state.announce(.event(event))
      }
    }
  }

  /// Changes the tables without an announcement.
  func changeSilently(_ events: RouteEvent...) {
    state.withLock { state in
      for event in events { state.apply(event) }
    }
  }

  /// Announces something without a change of the tables.
  func announce(_ deliveries: Delivery...) {
    state.withLock { state in
      for delivery in deliveries { state.announce(delivery) }
    }
  }

  /// Adds encoded entries to a table without an announcement.
  func add(_ type: MessageType, _ payloads: [UInt8]...) {
    state.withLock { state in
      for payload in payloads { state.others.append((type, payload)) }
    }
  }

  /// Arranges faults for the next requests for a table.
  func arrange(_ troubles: Trouble...) {
    state.withLock { $0.troubles += troubles }
  }

  /// Sets the answer to lookups of an address without an announcement; by default there is no route.
  func setRoute(to destination: ReachabilityAddress, _ answer: Result<RouteMessage, Errno>) {
    state.withLock { $0.routes[destination] = answer }
  }

  /// Sets the entries of the routing tables, for the lists of explanations.
  func setListedRoutes(_ routes: RouteMessage...) {
    state.withLock { $0.listedRoutes = routes }
  }

  /// Sets the neighbour entries without an announcement.
  func setNeighbours(_ neighbours: NeighbourMessage...) {
    state.withLock { $0.neighbours = neighbours }
  }

  /// Removes support for policy rules (`EOPNOTSUPP`).
  func forgetRules() {
    state.withLock { $0.hasRules = false }
  }

  /// Stops answering lookups.
  func fallSilent() {
    state.withLock { $0.isSilent = true }
  }

  /// Refuses to join or leave a group.
  func refuse(_ group: MulticastGroup, with errno: Errno) {
    state.withLock { $0.refusedGroups[group] = errno }
  }
}

/// A request and the port of its sender.
private struct Asked {
  var type: MessageType
  var sequence: UInt32
  var port: UInt32
  var family: AddressFamily
}

extension ScriptedNetwork.State {
  fileprivate mutating func announce(_ delivery: ScriptedNetwork.Delivery) {
    if case .event(let event) = delivery, groups.isDisjoint(with: event.groups) { return }
    announced.append(delivery)
  }

  fileprivate mutating func apply(_ event: RouteEvent) {
    switch event {
    case .link(let link):
      if let place = links.firstIndex(where: { $0.index == link.index }) {
        links[place] = link
      } else {
        links.append(link)
      }
    case .linkRemoved(let link):
      links.removeAll { $0.index == link.index }
      addresses.removeAll { $0.index == link.index }
    case .address(let address):
      if let place = addresses.firstIndex(where: { $0.isSame(as: address) }) {
        addresses[place] = address
      } else {
        addresses.append(address)
      }
    case .addressRemoved(let address): addresses.removeAll { $0.isSame(as: address) }
    case .rule(let rule): rules.append(rule)
    case .ruleRemoved(let rule): rules.removeAll { $0 == rule }
    default: break
    }
  }

  fileprivate mutating func lookUp(_ destination: ReachabilityAddress, for request: Asked) {
    guard !isSilent else { return }
    switch routes[destination] ?? .failure(.networkUnreachable) {
    case .success(let route): answer(.newRoute, to: request) { route.encode(into: &$0) }
    case .failure(let errno): refuse(request, with: errno)
    }
  }

  fileprivate mutating func read(_ index: Int32?, for request: Asked) {
    guard let link = links.first(where: { $0.index == index }) else {
      return refuse(request, with: Errno(rawValue: 19))
    }
    answer(.newLink, to: request) { link.encode(into: &$0) }
  }

  fileprivate mutating func read(_ neighbour: NeighbourMessage?, for request: Asked) {
    guard
      let entry = neighbours.first(where: {
        $0.destination == neighbour?.destination && $0.index == neighbour?.index
      })
    else { return refuse(request, with: Errno(rawValue: 2)) }
    answer(.newNeighbour, to: request) { entry.encode(into: &$0) }
  }

  private mutating func refuse(_ request: Asked, with errno: Errno) {
    answer(.error, .capped, to: request) {
      $0.append(-errno.rawValue)
      $0.appendZeros(MessageHeader.size)
    }
  }

  fileprivate mutating func list(_ request: Asked) {
    if request.type == .getRule {
      guard hasRules else { return refuse(request, with: Errno(rawValue: 95)) }
      listOthers(.newRule, .multipart, to: request)
      for rule in rules where rule.family == request.family {
        answer(.newRule, .multipart, to: request) { rule.encode(into: &$0) }
      }
      return answer(.done, .multipart, to: request) { $0.append(Int32(0)) }
    }
    let trouble = troubles.isEmpty ? .none : troubles.removeFirst()
    var flags: MessageFlags = .multipart
    switch trouble {
    case .none, .meanwhile, .loss: break
    case .interruption: flags.insert(.dumpInterrupted)
    case .refusal(let errno): return refuse(request, with: errno)
    case .silence: return
    }
    if request.type == .getRoute {
      for route in listedRoutes { answer(.newRoute, flags, to: request) { route.encode(into: &$0) } }
      return answer(.done, flags, to: request) { $0.append(Int32(0)) }
    }
    listOthers(request.type == .getLink ? .newLink : .newAddress, flags, to: request)
    if request.type == .getLink {
      for link in links { answer(.newLink, flags, to: request) { link.encode(into: &$0) } }
    } else {
      for address in addresses { answer(.newAddress, flags, to: request) { address.encode(into: &$0) } }
    }
    answer(.done, flags, to: request) { $0.append(Int32(0)) }
    if case .meanwhile(let deliveries) = trouble {
      for delivery in deliveries {
        if case .event(let event) = delivery { apply(event) }
        announce(delivery)
      }
    }
    if case .loss(let events) = trouble {
      for event in events { apply(event) }
      announce(.overrun)
    }
  }

  private mutating func listOthers(_ type: MessageType, _ flags: MessageFlags, to request: Asked) {
    for other in others where other.type == type {
      answer(type, flags, to: request) { $0.append(other.payload) }
    }
  }

  private mutating func answer(
    _ type: MessageType, _ flags: MessageFlags = [], to request: Asked,
    _ encode: (inout MessageEncoder) -> Void
  ) {
    var encoder = MessageEncoder()
    encoder.beginMessage(type: type, flags: flags, sequence: request.sequence, port: request.port)
    encode(&encoder)
    encoder.endMessage()
    answers[request.port, default: []].append(encoder.bytes)
  }
}

extension AddressMessage {
  fileprivate func isSame(as other: AddressMessage) -> Bool {
    index == other.index && address == other.address && prefix == other.prefix
  }
}

/// One of the two sockets of a scripted network.
final class ScriptedSocket: Transport {
  private let network: ScriptedNetwork
  private let hears: Bool
  let port: UInt32

  init(network: ScriptedNetwork, hears: Bool, port: UInt32) {
    self.network = network
    self.hears = hears
    self.port = port
  }

  var pollDescriptor: CInt { -1 }

  func send(_ bytes: RawSpan) throws(Errno) {
    network.take(bytes, from: port)
  }

  func receive(into buffer: inout [UInt8], blocking: Bool) throws(Errno) -> Datagram {
    // A blocking receive would never return: the test itself sends all messages.
    switch (hears ? network.nextAnnouncement() : nil) ?? network.nextAnswer(to: port) {
    case nil: throw .wouldBlock
    case .overrun: throw .noBufferSpace
    case .failure(let errno): throw errno
    case .event(let event): return Self.datagram(event.message, from: 0, into: &buffer)
    case .bytes(let bytes, let port): return Self.datagram(bytes, from: port, into: &buffer)
    }
  }

  func setFilter(_ filter: SocketFilter?) throws(Errno) { network.recordFilter(filter) }

  func setMembership(_ group: MulticastGroup, joined: Bool) throws(Errno) {
    try network.setMembership(group, joined: joined)
  }

  private static func datagram(
    _ bytes: [UInt8], from port: UInt32, into buffer: inout [UInt8]
  ) -> Datagram {
    let count = min(bytes.count, buffer.count)
    buffer.replaceSubrange(0..<count, with: bytes[0..<count])
    return Datagram(count: bytes.count, senderPort: port)
  }
}

extension ScriptedNetwork {
  fileprivate func take(_ bytes: RawSpan, from port: UInt32) {
    state.withLock { $0.sends += 1 }
    var reader = MessageReader(in: 0..<bytes.byteCount)
    while let message = try? reader.next(bytes) {
      let route = try? RouteMessage(decoding: bytes, in: message.payload)
      let asked = Asked(
        type: message.header.type, sequence: message.header.sequence, port: port,
        family: route?.family ?? .unspecified)
      state.withLock { state in
        state.steps.append(.asked(message.header.type))
        if message.header.type == .getLink, !message.header.flags.contains(.dump) {
          state.read((try? LinkMessage(decoding: bytes, in: message.payload))?.index, for: asked)
        } else if message.header.type == .getNeighbour {
          state.read(try? NeighbourMessage(decoding: bytes, in: message.payload), for: asked)
        } else if message.header.type != .getRoute || message.header.flags.contains(.dump) {
          state.list(asked)
        } else if let destination = route?.destination {
          state.lookUp(destination, for: asked)
        }
      }
    }
  }

  fileprivate func nextAnnouncement() -> Delivery? {
    state.withLock { $0.announced.isEmpty ? nil : $0.announced.removeFirst() }
  }

  fileprivate func nextAnswer(to port: UInt32) -> Delivery? {
    state.withLock { state in
      guard var answers = state.answers[port], !answers.isEmpty else { return nil }
      defer { state.answers[port] = answers }
      return .bytes(answers.removeFirst(), port: 0)
    }
  }

  fileprivate func setMembership(_ group: MulticastGroup, joined: Bool) throws(Errno) {
    let refusal = state.withLock { state -> Errno? in
      if let refusal = state.refusedGroups[group] { return refusal }
      state.steps.append(joined ? .joined(group) : .left(group))
      if joined { state.groups.insert(group) } else { state.groups.remove(group) }
      return nil
    }
    if let refusal { throw refusal }
  }
}
#endif
