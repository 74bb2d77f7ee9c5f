// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import POSIX
import Synchronization
@testable import Netlink

/// A kernel that follows a script and records its requests.
///
/// Each send runs the next turn of the script, which queues its deliveries. A receive from an empty queue returns the
/// idle delivery immediately, so that a test of a time limit takes no time.
final class ScriptedKernel: Transport {
  /// Answers the requests of one send.
  typealias Turn = @Sendable ([Request]) -> [Delivery]

  /// The result of one receive.
  enum Delivery: Sendable {
    case datagram([UInt8], port: UInt32, isAnnouncement: Bool = false)
    case failure(Errno)

    /// A datagram of the kernel.
    static func kernel(_ messages: [UInt8]...) -> Delivery { .datagram(messages.flatMap(\.self), port: 0) }
    /// A datagram of the kernel to a multicast group.
    static func announced(_ messages: [UInt8]...) -> Delivery {
      .datagram(messages.flatMap(\.self), port: 0, isAnnouncement: true)
    }
    /// A datagram of another sender.
    static func foreign(_ messages: [UInt8]...) -> Delivery {
      .datagram(messages.flatMap(\.self), port: 4711)
    }
  }

  /// A group that was joined or left.
  struct Membership: Equatable {
    var group: MulticastGroup
    var isJoined: Bool
  }

  private struct State {
    var turns: [Turn]
    var waiting: [Delivery] = []
    var sent: [[Request]] = []
    var memberships: [Membership] = []
    var refusedGroups: [MulticastGroup: Errno] = [:]
    var filters: [SocketFilter?] = []
    var filterLimit = Int.max
  }

  private let state: Mutex<State>
  private let idle: Delivery
  private let sendFailure: Errno?

  /// - Parameters:
  ///   - idle: The result of a receive from an empty queue.
  ///   - sendFailure: The error of every send.
  init(idle: Delivery = .failure(.wouldBlock), sendFailure: Errno? = nil, _ turns: Turn...) {
    self.idle = idle
    self.sendFailure = sendFailure
    state = Mutex(State(turns: turns))
  }

  /// The requests of each send, in order.
  var sent: [[Request]] { state.withLock { $0.sent } }
  /// The groups that were joined and left, in order.
  var memberships: [Membership] { state.withLock { $0.memberships } }
  /// The filters that were installed (or `nil`, removed), in order.
  var filters: [SocketFilter?] { state.withLock { $0.filters } }
  /// The number of queued datagrams and failures.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Queues deliveries.
  func announce(_ deliveries: Delivery...) {
    state.withLock { $0.waiting += deliveries }
  }

  /// Refuses to join or leave the group.
  func refuse(_ group: MulticastGroup, with errno: Errno) {
    state.withLock { $0.refusedGroups[group] = errno }
  }

  /// Refuses filters with more instructions.
  func refuseFilters(above limit: Int) {
    state.withLock { $0.filterLimit = limit }
  }

  // MARK: Transport

  var pollDescriptor: CInt { -1 }
  var port: UInt32 { Self.ownPort }
  /// The port of this kernel's client.
  static let ownPort: UInt32 = 1001

  func send(_ bytes: RawSpan) throws(Errno) {
    let requests = Request.list(bytes)
    state.withLock { state in
      state.sent.append(requests)
      // The kernel runs one dump per socket at a time, and refuses another until the first is received.
      if let dump = requests.first(where: \.isDump), !state.waiting.isEmpty {
        state.waiting.append(.kernel(dump.refusal(Errno(rawValue: 16))))
      } else if !state.turns.isEmpty {
        state.waiting += state.turns.removeFirst()(requests)
      }
    }
    if let sendFailure { throw sendFailure }
  }

  func receive(into buffer: inout [UInt8], blocking: Bool) throws(Errno) -> Datagram {
    switch state.withLock({ $0.waiting.isEmpty ? idle : $0.waiting.removeFirst() }) {
    case .failure(let errno): throw errno
    case .datagram(let bytes, let port, let isAnnouncement):
      let count = min(bytes.count, buffer.count)
      buffer.replaceSubrange(0..<count, with: bytes[0..<count])
      return Datagram(count: bytes.count, senderPort: port, isAnnouncement: isAnnouncement)
    }
  }

  func setMembership(_ group: MulticastGroup, joined: Bool) throws(Errno) {
    let refusal = state.withLock { state in
      state.memberships.append(Membership(group: group, isJoined: joined))
      return state.refusedGroups[group]
    }
    if let refusal { throw refusal }
  }

  func setFilter(_ filter: SocketFilter?) throws(Errno) {
    let refusal = state.withLock { state in
      state.filters.append(filter)
      return filter.map { $0.instructions.count > state.filterLimit } ?? false
    }
    if refusal { throw .noBufferSpace }
  }
}
#endif
