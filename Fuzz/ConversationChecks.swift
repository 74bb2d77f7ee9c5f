// SPDX-License-Identifier: Apache-2.0
import POSIX
import Synchronization

@testable import Netlink
@testable import ReachabilityKit

/// A kernel that answers every request with the next message of the input, one per datagram.
///
/// A message with a port replaces the next answer. A message of type `NLMSG_OVERRUN` stands for lost messages before
/// it, one of type `NLMSG_NOOP` for a message from another process.
final class HostileKernel: Transport {
  fileprivate struct State {
    var rest: ArraySlice<[UInt8]>
    /// The sequence number of the first request in the last datagram, and their count.
    var first: UInt32 = 0
    var count: UInt32 = 1
    var answers: UInt32 = 0
  }

  private let state: Mutex<State>

  init(_ bytes: [UInt8]) {
    var datagrams: [[UInt8]] = []
    var reader = MessageReader(in: 0..<bytes.count)
    var end = 0
    while let message = try? reader.next(RawSpan(_elements: bytes.span)) {
      let start = message.payload.lowerBound - MessageHeader.size
      datagrams.append(Array(bytes[start..<message.payload.upperBound]))
      end = min((message.payload.upperBound + 3) & ~3, bytes.count)
    }
    // The remaining bytes are not a message.
    if end < bytes.count { datagrams.append(Array(bytes[end...])) }
    state = Mutex(State(rest: datagrams[...]))
  }

  var pollDescriptor: CInt { -1 }
  var port: UInt32 { 42 }

  func send(_ bytes: RawSpan) throws(Errno) {
    state.withLock { state in
      var reader = MessageReader(in: 0..<bytes.byteCount)
      state.count = 0
      state.answers = 0
      while let message = try? reader.next(bytes) {
        if state.count == 0 { state.first = message.header.sequence }
        state.count += 1
      }
    }
  }

  func receive(into buffer: inout [UInt8], blocking: Bool) throws(Errno) -> Datagram {
    let (datagram, type) = state.withLock { $0.next(blocking: blocking) }
    switch type {
    case nil: throw .wouldBlock
    case 4: throw .noBufferSpace
    default: break
    }
    let count = min(datagram.count, buffer.count)
    buffer.replaceSubrange(0..<count, with: datagram[..<count])
    return Datagram(
      count: datagram.count, senderPort: type == 1 ? 7 : 0, isAnnouncement: datagram.dropFirst(12).first != 42
    )
  }

  func setFilter(_ filter: SocketFilter?) throws(Errno) {}

  func setMembership(_ group: MulticastGroup, joined: Bool) throws(Errno) {}
}

extension HostileKernel.State {
  /// Returns the next datagram and the type of its message, which is `nil` without one.
  fileprivate mutating func next(blocking: Bool) -> ([UInt8], UInt16?) {
    guard var datagram = rest.first else { return ([], nil) }
    let header = try? MessageHeader(decoding: RawSpan(_elements: datagram.span), in: 0..<datagram.count)
    let isAnswer = header.map { $0.port != 0 } ?? false
    // Answers arrive only while a request waits for them.
    if isAnswer, !blocking { return ([], nil) }
    rest.removeFirst()
    if isAnswer {
      let sequence = first &+ (count > 1 ? answers % count : 0)
      answers += 1
      for index in 0..<4 {
        datagram[8 + index] = UInt8(truncatingIfNeeded: sequence >> (8 * UInt32(index)))
        datagram[12 + index] = index == 0 ? 42 : 0
      }
    }
    return (datagram, header?.type.rawValue ?? 0)
  }
}

extension Check {
  /// All clients of the kernel, with an untrusted kernel.
  static let conversations = [routeClient, wirelessClient, tracker]

  private static let routeClient = Check("RouteClient", .messages) { bytes throws(Finding) in
    var client = RouteClient(over: HostileKernel(bytes))
    _ = try? client.links()
    _ = try? client.addresses()
    _ = try? client.rules(.ipv6)
    let requests = ["10.9.0.1", "fd00::1", "10.9.0.2"].map { RouteRequest($0) }
    var answered: [Int] = []
    var isUnlikeItself = false
    _ = try? client.lookUp(requests.count) {
      requests[$0]
    } answer: { index, bytes, message throws(DecodingError) in
      answered.append(index)
      if let known = KnownAnswer(message, of: bytes), !known.isSame(as: message, of: bytes) {
        isUnlikeItself = true
      }
    }
    try expect(!isUnlikeItself, "an answer differs from itself")
    try expect(Set(answered).count == answered.count, "a request was answered twice")
    try expect(answered.allSatisfy(requests.indices.contains), "an answer without a request")
  }

  private static let wirelessClient = Check("WirelessClient", .messages) { bytes throws(Finding) in
    var client = WirelessClient(over: HostileKernel(bytes))
    for _ in 0..<2 {
      let types = try? client.interfaceTypes(of: [1, 27, 3])
      try expect(
        types.map { Set($0.keys).isSubset(of: [1, 27, 3]) } ?? true, "a link that was not queried")
    }
  }

  private static let askedTargets: [ReachabilityTarget] = [
    .defaultRoute, .address("10.9.0.1"), .address("2001:db8::1"), .address("fe80::1", zone: .index(2)),
    ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1", interface: .name("eth0"), mark: 66),
  ]

  private static let tracker = Check("NetworkTracker", .messages) { bytes throws(Finding) in
    let kernel = HostileKernel(bytes)
    let classifier = LinkClassifier(wireless: kernel, folder: "/dev/null")
    var tracker = NetworkTracker(events: kernel, questions: kernel, classifier: classifier)
    guard (try? tracker.start(NetworkTracker.allGroups)) != nil else { return }
    for target in askedTargets { try check(tracker.evaluate(target).status, of: target) }
    _ = tracker.readChange()
    for (target, evaluation) in zip(askedTargets, tracker.evaluateObserved(askedTargets)) {
      try check(evaluation.status, of: target)
    }
    try check(tracker.evaluatePath([.init("10.9.0.53")]).path)
    for (index, link) in tracker.networkState.links {
      try expect(index > 0 && link.interface.index == Int(index), "link \(index) is \(link.interface.index)")
    }
  }

  /// Expects state, reason and flags to be consistent.
  private static func check(_ status: ReachabilityStatus, of target: ReachabilityTarget) throws(Finding) {
    let isSound =
      switch (status.state, status.reason) {
      case (.reachable, nil): status.interface != nil && status.flags.contains(.reachable)
      case (.unknown, _): status == .unknown(.systemError)
      case (.notReachable, let reason?):
        status.flags == (reason == .linkDormant ? [.reachable, .connectionRequired] : [])
          && status.gateway == nil && status.source == nil
      default: false
      }
    try expect(isSound, "\(target): \(status) \(status.flags.names)")
  }

  private static func check(_ path: ReachabilityPath) throws(Finding) {
    try expect(path.isSatisfied == (path.reason == nil), "\(path)")
    try expect(!path.isSatisfied || !path.interfaces.isEmpty, "satisfied without an interface: \(path)")
    try expect(!path.isSatisfied || path.supportsIPv4 || path.supportsIPv6, "satisfied by no family: \(path)")
  }
}
