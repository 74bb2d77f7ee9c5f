#if os(Linux)
import Foundation
import LiveSupport
import Synchronization

/// Sends packets of both families all the time, and notes which arrive.
final class Sender: Sendable {
  /// A pair of packets, one of each family.
  struct Pair {
    var sent: ContinuousClock.Instant
    var arrived: ContinuousClock.Instant?
  }

  private let pairs = Mutex<[Pair]>([])
  private let isStopped = Mutex(false)
  private let ended = DispatchSemaphore(value: 0)

  /// Addresses of the world that only default routes lead to: 192.0.2.1 and 2001:db8::1.
  static let destinations: [[UInt8]] = [
    [192, 0, 2, 1], [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
  ]

  /// Starts a thread of a machine.
  init(in machine: NetworkNamespace, to world: NetworkNamespace) throws {
    let tap = try PacketTap(port: 9, in: world)
    try machine.run { [self] in
      // A new thread belongs to the network of the one that starts it.
      Thread.detachNewThread { self.send(tap) }
    }
  }

  private func send(_ tap: PacketTap) {
    while !isStopped.withLock({ $0 }) {
      let number = pairs.withLock { pairs in
        pairs.append(Pair(sent: .now))
        return pairs.count - 1
      }
      for destination in Self.destinations {
        _ = ProbePackets.send(1, SocketPlan(to: destination), number: UInt64(number), isConnected: true)
      }
      receive(tap)
      usleep(300)
    }
    ended.signal()
  }

  private func receive(_ tap: PacketTap) {
    while let arrival = tap.next() {
      let now = ContinuousClock.now
      pairs.withLock { pairs in
        let number = Int(arrival.number)
        if number < pairs.count, pairs[number].arrived == nil { pairs[number].arrived = now }
      }
    }
  }

  /// The moment at which the first packet arrived.
  var firstArrival: ContinuousClock.Instant? {
    pairs.withLock { $0.compactMap(\.arrived).min() }
  }

  /// The first pairs that were sent after a moment.
  func pairs(after moment: ContinuousClock.Instant, _ count: Int) -> [Pair] {
    pairs.withLock { Array($0.drop { $0.sent <= moment }.prefix(count)) }
  }

  func stop() {
    isStopped.withLock { $0 = true }
    ended.wait()
  }
}
#endif
