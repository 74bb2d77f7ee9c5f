// SPDX-License-Identifier: Apache-2.0
import CRandomTraffic
import Foundation

/// Copies packets between the two tunnel devices of each world, as the rules of the world say, and records what it does.
struct Relay {
  private struct Packet {
    var world: World
    var bytes: [UInt8]
    var isUp: Bool
    var segment: Segment?
    /// The scenario in which it was sent.
    var generation: Int
  }

  private var delayed = Heap<Packet>()
  private var buffer = [UInt8](repeating: 0, count: 2048)

  /// When the next packet is due.
  var due: Int64? { delayed.due }

  /// Takes what a tunnel device has, at most some packets.
  mutating func take(_ world: World, isUp: Bool) {
    let tunnel = isUp ? world.tunnels.client : world.tunnels.server
    for _ in 0..<32 {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(tunnel, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      pass(world, count, isUp: isUp)
    }
  }

  private mutating func pass(_ world: World, _ count: Int, isUp: Bool) {
    guard let player = world.player, let segment = Segment(buffer, length: count, isUp: isUp) else { return }
    let now = traffic_now()
    note(segment, world, isUp: isUp, at: now, isCut: player.isCut)
    let rule = world.rules[segment.slot]
    if segment.size > rule.limit { world.record.peers[segment.slot, default: .init()].oversized.append(now) }
    let loss = isUp ? rule.lossUp : rule.lossDown
    let isLost = loss > 0 && Double.random(in: 0..<1, using: &world.random) < loss
    guard !isLost, isUp ? !rule.dropsUp : !rule.dropsDown, segment.size <= rule.limit else {
      if segment.needsAnswer { world.record.peers[segment.slot, default: .init()].losses.append(now) }
      return
    }
    let packet = Packet(
      world: world, bytes: Array(buffer[..<count]), isUp: isUp, segment: segment,
      generation: player.generation)
    if rule.delay == 0 { deliver(packet, at: now) } else { delayed.insert(packet, at: now + rule.delay) }
  }

  private func note(_ segment: Segment, _ world: World, isUp: Bool, at now: Int64, isCut: Bool) {
    world.record.packets += 1
    if isUp {
      guard segment.needsAnswer, var flow = world.record.flows[segment.flow] else { return }
      if flow.seen.map({ $0.precedes(segment.end) }) ?? true {
        flow.seen = segment.end
        if isCut, segment.payload > 0, flow.firstInCut == nil { flow.firstInCut = now }
      }
      world.record.flows[segment.flow] = flow
    } else if world.record.flows[segment.flow] != nil {
      world.record.peers[segment.slot, default: .init()].answered.append(now)
    }
  }

  /// Delivers what is due.
  mutating func deliver(until now: Int64) {
    while let (due, packet) = delayed.next(until: now) {
      guard packet.generation == packet.world.player?.generation else { continue }
      let time = traffic_now()
      packet.world.record.lag = max(packet.world.record.lag, time - due)
      // A cut is one of the path: what is on its way when it happens still arrives.
      deliver(packet, at: time)
    }
  }

  private func deliver(_ packet: Packet, at now: Int64) {
    let tunnel = packet.isUp ? packet.world.tunnels.server : packet.world.tunnels.client
    // Before the write: the kernel processes the packet in it.
    if let segment = packet.segment { noteDelivery(segment, packet.world, isUp: packet.isUp, at: now) }
    _ = unsafe packet.bytes.withUnsafeBytes { unsafe write(tunnel, $0.baseAddress, $0.count) }
  }

  private func noteDelivery(_ segment: Segment, _ world: World, isUp: Bool, at now: Int64) {
    guard var flow = world.record.flows[segment.flow] else { return }
    if isUp {
      if segment.needsAnswer { world.record.peers[segment.slot, default: .init()].forwarded.append(now) }
      return
    }
    if segment.isRST {
      // The kernel removes the connection before the client notices.
      if flow.closed == nil { world.record.flows[segment.flow]?.closed = now }
      return
    }
    let isNew = flow.receive(segment)
    world.record.flows[segment.flow] = flow
    world.record.peers[segment.slot, default: .init()].deliveries.append(
      .init(time: now, flow: segment.flow, isNew: isNew))
  }
}
