// SPDX-License-Identifier: Apache-2.0
import Foundation
import InternetProtocol
import LiveSupport
import ReachabilityKit

/// TCP connections of the network under test, whose packets show which path they take.
final class OpenConnections {
  /// A connection, and where its packets arrived before a step.
  struct Item {
    fileprivate var wish: Wish
    var name: ConnectionName
    fileprivate var stream: LoneStream?
    /// Why it is not open.
    fileprivate var problem = ""
    var before: Set<Delivery.Hop>
  }

  fileprivate struct Wish: Sendable {
    var destination: ReachabilityAddress
    var source: ReachabilityAddress?
    var link: String?
    /// The index of the link, which keeps it when its name changes.
    var index: UInt32 = 0
    var user: UInt32 = 0

    var plan: SocketPlan {
      SocketPlan(
        to: destination.octets, port: 443, isStream: true, from: source?.octets, over: index)
    }
  }

  private(set) var items: [Item] = []
  private let lab: Lab

  private static let wishes: [Wish] = {
    let plain: [ReachabilityAddress] = [
      "8.8.8.8", "10.66.1.1", "10.66.2.1", "203.0.113.7", "10.1.0.2", "10.2.0.2", "10.3.0.9", "10.4.0.2",
      "10.5.0.2", "2001:db8::8", "fd00:66:1::1", "fd00:66:2::1", "fd00:1::2", "fd00:2::2", "fd00:3::9",
      "fd00:5::2",
    ]
    return plain.map { Wish(destination: $0) } + [
      Wish(destination: "8.8.8.8", source: "10.2.0.1"),
      Wish(destination: "10.66.1.1", source: "10.3.0.1"),
      Wish(destination: "2001:db8::8", source: "fd00:2::1"),
      Wish(destination: "10.66.1.1", link: "v2"),
      Wish(destination: "8.8.8.8", user: 7),
      Wish(destination: "fd00:66:1::1", user: 7),
    ]
  }()

  /// Opens the connections that the network permits, and sends a packet over each.
  init(in lab: Lab) throws {
    self.lab = lab
    for wish in Self.wishes where wish.user == 0 || Abilities.here.hasUsers {
      var wish = wish
      if let link = wish.link {
        wish.index = try lab.inside { unsafe if_nametoindex(link) }
        if wish.index == 0 { continue }
      }
      guard let stream = try? open(wish), let source = ReachabilityAddress(octets: stream.source),
        // Those within this machine are not listed.
        source != wish.destination
      else { continue }
      let name = ConnectionName(
        source: source, sourcePort: stream.sourcePort, destination: wish.destination, destinationPort: 443)
      items.append(Item(wish: wish, name: name, stream: stream, before: []))
    }
    // A socket without a bound source keeps the route that was looked up without one.
    reopen()
    let arrivals = try send()
    for place in items.indices { items[place].before = arrivals[place] }
    // Those that have sent wait for answers, and send less.
    reopen()
  }

  /// Opens the connections again that can be opened, with the same ends.
  func reopen() {
    for place in items.indices {
      items[place].stream = nil
      do {
        items[place].stream = try open(
          items[place].wish, items[place].name.source, items[place].name.sourcePort)
        items[place].problem = ""
      } catch {
        items[place].problem = "; not open: \(error)"
      }
    }
  }

  private func open(
    _ wish: Wish, _ source: ReachabilityAddress? = nil, _ port: UInt16 = 0
  ) throws -> LoneStream {
    var wish = wish
    wish.source = source ?? wish.source
    return try lab.inside { [wish] in
      try Users.acting(as: wish.user) { try LoneStream(wish.plan, sourcePort: port) }
    }
  }

  /// Sends a packet over each, and returns where they arrived.
  func send() throws -> [Set<Delivery.Hop>] {
    defer { lab.change(["neigh flush all", "neigh flush nud permanent", "neigh flush nud noarp"]) }
    let questions = items.map { item in
      "route get \(item.name.destination) from \(item.name.source)"
        + (item.wish.index > 0 ? " oif if\(item.wish.index)" : "")
        + " uid \(item.wish.user) ipproto tcp sport \(item.name.sourcePort) dport 443"
    }
    let lines = try lab.ask(questions).map { try RouteAnswer($0).route }
    var neighbours: Set<String> = []
    for (item, line) in zip(items, lines) {
      guard let line, let device = line.dev else { continue }
      let address = line.nextAddress ?? item.name.destination
      let octets = address.hardwareAddress.map { String($0, radix: 16) }.joined(separator: ":")
      neighbours.insert("neigh replace \(address) dev \(device) lladdr \(octets) nud permanent")
    }
    lab.change(neighbours.sorted())
    let numbers = items.map { _ in lab.newNumber() }
    _ = lab.arrivals()
    for (item, number) in zip(items, numbers) { item.stream?.send(number) }
    let arrivals = lab.arrivals()
    return numbers.map { arrivals[$0] ?? [] }
  }

  /// Returns a connection that does not do what was predicted.
  func complaint(about prediction: Prediction, in lab: Lab) throws -> String? {
    let arrivals = try send()
    let locals = try lab.ask(items.map { "route get \($0.name.source)" }).map {
      try RouteAnswer($0).route?.type == "local"
    }
    for ((item, after), isLocal) in zip(zip(items, arrivals), locals) {
      guard let outcome = prediction.outcomes[item.name] else {
        // Packets to an address of this machine end a connection that no socket there has.
        if item.before.isEmpty { continue }
        return "\(item.name) is not listed"
      }
      let problem: String? =
        switch outcome.kind {
        case "kept" where !item.before.isEmpty && after != item.before: "is kept, but not on the same path"
        case "moved"
        where outcome.reason?.hasPrefix("its packets") == true && after == item.before
          // Behind a tunnel, gateways cannot be told apart.
          && item.before.contains { !$0.sender.isEmpty }:
          "moves, but is on the same path"
        case "lost" where outcome.reason == "its local address disappears":
          isLocal ? "loses its address, but has it" : nil
        case "lost" where !after.isEmpty: "is lost, but its packets arrive"
        default: nil
        }
      guard let problem else { continue }
      return "\(item.name) of user \(item.wish.user): \(problem): \(outcome), "
        + "before \(item.before.map(\.text)), after \(after.map(\.text))\(item.problem)"
    }
    return nil
  }
}

extension Delivery.Hop {
  fileprivate var text: String {
    [sender, receiver].map { $0.map { String($0, radix: 16) }.joined(separator: ":") }
      .joined(separator: " for ")
  }
}
