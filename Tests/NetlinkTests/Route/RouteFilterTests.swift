// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import LiveSupport
import NetlinkSupport
import Testing

@testable import Netlink

/// The filter that drops unrelated routes, run by the tests' own interpreter.
///
/// The live tests run it in the kernel.
@Suite(.deadline) struct RouteFilterTests {
  private static let port: UInt32 = 0x0102_0304

  /// An announcement with the kernel's layout.
  private func announcement(
    of prefix: IPPrefix, _ type: MessageType = .newRoute, port: UInt32 = 0, priority: UInt32? = nil
  ) -> [UInt8] {
    var route = RouteMessage()
    route.family = prefix.address.bitWidth == 32 ? .ipv4 : .ipv6
    route.destination = prefix.length > 0 ? prefix.address : nil
    route.destinationLength = UInt8(prefix.length)
    // Other attributes precede the destination too.
    route.table = 1000
    route.priority = priority
    return oneMessage(type, sequence: 7, port: port) { route.encode(into: &$0) }
  }

  /// A random address from few networks, so that prefixes match it often.
  private func address(_ isIPv6: Bool, _ numbers: inout SeededGenerator) -> ReachabilityAddress {
    guard isIPv6 else {
      let network: UInt32 =
        .random(in: 0..<4, using: &numbers) << 30 | .random(in: 0..<64, using: &numbers) << 16
      return .v4(.init(rawValue: network | .random(in: 0..<300, using: &numbers)))
    }
    let network: UInt128 =
      .random(in: 0..<4, using: &numbers) << 126 | .random(in: 0..<8, using: &numbers) << 92
    let subnet: UInt128 = .random(in: 0..<300, using: &numbers) << 64
    return .v6(.init(rawValue: network | subnet | .random(in: 0..<3, using: &numbers)))
  }

  private func prefix(_ isIPv6: Bool, _ numbers: inout SeededGenerator) -> IPPrefix? {
    // Within the 64 bits that the filter compares.
    let length = Int.random(in: 0...(isIPv6 ? 64 : 32), using: &numbers)
    return IPPrefix(address(isIPv6, &numbers), length: length)
  }

  @Test(arguments: [0, 1, 2, 3, 10, 100, 300], [1, 2] as [UInt64])
  func `exactly the routes that match an address pass`(count: Int, seed: UInt64) throws {
    var numbers = SeededGenerator(seed: seed)
    let addresses = (0..<count).map { address($0 % 3 == 0, &numbers) }
    let filter = SocketFilter(routesFor: addresses, port: Self.port)
    var passed = 0
    for step in 0..<4_000 {
      let prefix = try #require(prefix(step % 2 == 0, &numbers))
      let isWanted =
        prefix.length <= 3
        || addresses.contains { address in
          // The filter compares the first 64 bits of IPv6.
          IPPrefix(address, length: address.bitWidth == 32 ? 32 : 64).map { prefix.contains($0.address) }
            ?? false
        }
      let type: MessageType = step % 4 < 2 ? .newRoute : .deleteRoute
      let isPassed = filter.passes(announcement(of: prefix, type, priority: step % 5 == 0 ? 7 : nil))
      #expect(isPassed == isWanted, "\(prefix)")
      passed += isWanted ? 1 : 0
    }
    #expect(filter.instructions.count <= SocketFilter.limit)
    // Otherwise the test would prove little.
    #expect(passed > 200 && passed < 3_900)
  }

  @Test(arguments: [4096, 1024, 256])
  func `with more addresses than fit, more routes pass and never fewer`(limit: Int) throws {
    var numbers = SeededGenerator(seed: 5)
    let addresses = (0..<3_000).map { address($0 % 4 == 0, &numbers) }
    let filter = SocketFilter(routesFor: addresses, port: Self.port, limit: limit)
    #expect((limit / 2...limit).contains(filter.instructions.count))
    for step in 0..<4_000 {
      let prefix = try #require(prefix(step % 2 == 0, &numbers))
      guard addresses.contains(where: prefix.contains) else { continue }
      #expect(filter.passes(announcement(of: prefix)) == true, "\(prefix)")
    }
    let elsewhere = try #require(IPPrefix("32.0.0.0", length: 24))
    #expect(filter.passes(announcement(of: elsewhere)) == false)
  }

  @Test(arguments: [("203.0.113.0", 24), ("2001:db8:7::", 48)] as [(ReachabilityAddress, Int)])
  func `datagrams other than the announcement of one route pass`(address: ReachabilityAddress, length: Int)
    throws
  {
    let filter = SocketFilter(routesFor: ["10.9.0.1", "fd00::1"], port: Self.port)
    let prefix = try #require(IPPrefix(address, length: length))
    let stray = announcement(of: prefix)
    #expect(filter.passes(stray) == false)
    // An answer, two messages in one datagram, and a route of an unknown family.
    #expect(filter.passes(announcement(of: prefix, port: Self.port)) == true)
    #expect(filter.passes(stray + stray) == true)
    var other = stray
    other[16] = 28
    #expect(filter.passes(other) == true)
    // A route whose prefix length has no destination.
    var bare = stray
    bare[28 + 8 + 2] = 200
    #expect(filter.passes(bare) == true)
  }

  @Test func `all other messages pass`() throws {
    let filter = SocketFilter(routesFor: [], port: Self.port)
    var count = 0
    for name in try Fixture.names() where !name.hasPrefix("route") {
      #expect(filter.passes(try Fixture(name).bytes) == true, "\(name)")
      count += 1
    }
    #expect(count > 40)
  }

  @Test func `a recorded route passes only for addresses that it matches`() throws {
    for name in ["route-ipv4-exact", "route-ipv4-multipath", "route-ipv6-multipath", "route-removed"] {
      let bytes = try Fixture(name).bytes
      let payload = RawSpan(_elements: bytes.span)
      let route = try RouteMessage(decoding: payload, in: 16..<bytes.count)
      let prefix = try #require(route.prefix)
      let inside = prefix.address
      #expect(SocketFilter(routesFor: [inside], port: Self.port).passes(bytes) == true, "\(prefix)")
      #expect(
        SocketFilter(routesFor: ["203.0.113.1", "3fff::1"], port: Self.port).passes(bytes)
          == (prefix.length <= 3))
    }
  }

  @Test func `announcements of neighbours pass for watched addresses only`() throws {
    let addresses: [ReachabilityAddress] = ["10.1.0.254", "10.2.0.254", "fe80::1", "fd00:2::fe"]
    let routes = SocketFilter(routesFor: ["8.8.8.8"], port: Self.port)
    for other in [nil, routes] {
      let filter = SocketFilter(neighbours: addresses, then: other)
      let others: [ReachabilityAddress] = ["10.1.0.253", "0.0.0.1", "fe80::2", "10.1.0.0", "fd00:2::"]
      for address in addresses + others {
        for type in [MessageType.newNeighbour, .deleteNeighbour] {
          var neighbour = NeighbourMessage()
          neighbour.family = address.bitWidth == 32 ? .ipv4 : .ipv6
          neighbour.hardwareAddress = [2, 0, 0, 0, 0, 1]
          neighbour.destination = address
          let message = oneMessage(type, sequence: 0, port: 0) { neighbour.encode(into: &$0) }
          #expect(filter.passes(message) == addresses.contains(address), "\(address)")
          // An entry of a bridge's table has the same form.
          neighbour.family = .bridge
          let entry = oneMessage(type, sequence: 0, port: 0) { neighbour.encode(into: &$0) }
          #expect(filter.passes(entry) == false)
        }
      }
      let related = try #require(IPPrefix("8.8.8.0", length: 24))
      let stray = try #require(IPPrefix("9.9.9.0", length: 24))
      #expect(filter.passes(announcement(of: related)) == true)
      #expect(filter.passes(announcement(of: stray)) == (other == nil))
    }
  }

  @Test func `a kernel with little memory for filters gets a shorter one, or none`() {
    let addresses = (0..<400).map { ReachabilityAddress.v4(.init(rawValue: 10 << 24 | $0 << 8)) }
    let kernel = ScriptedKernel()
    var subscription = RouteSubscription(over: kernel)
    var outcomes = [subscription.limitRoutes(to: addresses)]
    kernel.refuseFilters(above: 1500)
    outcomes.append(subscription.limitRoutes(to: addresses))
    kernel.refuseFilters(above: 10)
    outcomes.append(subscription.limitRoutes(to: addresses))
    #expect(outcomes == [true, true, false])
    let lengths = kernel.filters.map { $0?.instructions.count }
    #expect(lengths.last == .some(nil))
    #expect(lengths.compactMap(\.self).map { $0 > 1500 } == [true, true, false, true, false, false])
  }
}
#endif
