// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import Synchronization

/// A sender that connects a new socket to each of some addresses again and again and sends a numbered packet from each,
/// as ordinary programs do, and a receiver at the far end that notes which packets arrive.
public final class PacketStream: Sendable {
  /// The packets that were sent at one moment, one to each address.
  public struct Round: Sendable {
    /// When the first of them was about to be sent.
    public let sent: ContinuousClock.Instant
    /// When each arrived; `nil` if it has not.
    public fileprivate(set) var arrivals: [ContinuousClock.Instant?]
  }

  private let destinations: [[UInt8]]
  private let interval: useconds_t
  private let rounds = Mutex<[Round]>([])
  private let isStopped = Mutex(false)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts to send.
  ///
  /// - Parameters:
  ///   - destinations: Addresses of the far end, of 4 or 16 bytes each.
  ///   - machine: The network that sends.
  ///   - world: The network of the far end.
  ///   - microseconds: The pause after each round.
  public init(
    to destinations: [[UInt8]], from machine: NetworkNamespace, into world: NetworkNamespace,
    every microseconds: Int
  ) throws {
    self.destinations = destinations
    interval = useconds_t(microseconds)
    let tap = try PacketTap(port: 9, in: world)
    try machine.run { [self] in
      // A new thread belongs to the network of the one that starts it.
      Thread.detachNewThread { self.send(tap) }
    }
  }

  private func send(_ tap: PacketTap) {
    while !isStopped.withLock({ $0 }) {
      let first = rounds.withLock { rounds in
        rounds.append(Round(sent: .now, arrivals: destinations.map { _ in nil }))
        return (rounds.count - 1) * destinations.count
      }
      for (position, destination) in destinations.enumerated() {
        let number = UInt64(first + position)
        _ = ProbePackets.send(1, SocketPlan(to: destination), number: number, isConnected: true)
      }
      receive(tap)
      usleep(interval)
    }
    ended.signal()
  }

  private func receive(_ tap: PacketTap) {
    while let arrival = tap.next() {
      let now = ContinuousClock.now
      let (round, position) = Int(arrival.number).quotientAndRemainder(dividingBy: destinations.count)
      rounds.withLock { rounds in
        guard round < rounds.count, rounds[round].arrivals[position] == nil else { return }
        rounds[round].arrivals[position] = now
      }
    }
  }

  /// The rounds so far, or those of them that were sent after a moment.
  public func rounds(after moment: ContinuousClock.Instant? = nil) -> ArraySlice<Round> {
    rounds.withLock { rounds in
      guard let moment else { return rounds[...] }
      return rounds[(rounds.firstIndex { $0.sent > moment } ?? rounds.endIndex)...]
    }
  }

  /// Ends the sender.
  public func stop() {
    isStopped.withLock { $0 = true }
    ended.wait()
  }
}
#endif
