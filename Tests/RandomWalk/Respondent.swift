// SPDX-License-Identifier: Apache-2.0
import CRandomWalk
import Foundation
import InternetProtocol
import LiveSupport
import ReachabilityKit
import SearchSupport

/// The program that answers status queries.
enum Respondent {
  /// This program, on the threads of its lab.
  case here
  /// A child with another perspective.
  case child(Dialogue)

  /// Starts the program with a perspective in a namespace.
  init(_ perspective: Perspective, in namespace: NetworkNamespace) throws {
    guard perspective != .ordinary else {
      self = .here
      return
    }
    let words = ["RandomWalk", Self.option, perspective.rawValue]
    self = .child(try Dialogue("the child", running: "/proc/self/exe", words, in: namespace))
  }

  /// The option that makes this program an answering child.
  static let option = "--answer"

  func statuses(of inquiries: [Inquiry], in lab: Lab) throws -> [ReachabilityStatus] {
    switch self {
    case .here:
      let monitor = lab.monitor
      return try inquiries.map { inquiry in
        guard inquiry.userID != 0 else { return monitor.currentStatus(of: inquiry.target) }
        return try lab.inside {
          try Users.acting(as: inquiry.userID) { monitor.currentStatus(of: inquiry.target) }
        }
      }
    case .child(let dialogue):
      let request = try JSONEncoder().encode(inquiries.map { WrittenTarget($0.target) })
      try dialogue.write(String(decoding: request, as: UTF8.self) + "\n")
      let line = try dialogue.readLine()
      guard line.hasPrefix("[") else {
        throw Evidence.Trouble(description: "unexpected line of the child: \(line)")
      }
      return try JSONDecoder().decode([WrittenStatus].self, from: Data(line.utf8)).map(\.status)
    }
  }

  // MARK: In the child

  private static func hideIPv6() throws {
    random_walk_hide_ipv6()
    // AF_INET6 and EAFNOSUPPORT.
    try Faults.refuse("socket", where: (position: 0, value: 10), with: 97)
  }

  /// Answers each line of standard input with one line of standard output, until the input ends.
  static func answer(_ perspective: Perspective) throws {
    if perspective == .mapped { try Users.enterMappedNamespace(of: Perspective.mappedUser) }
    if perspective == .withoutIPv6 { try Self.hideIPv6() }
    var monitor = try? ReachabilityMonitor()
    var count = 0
    while let line = readLine() {
      // A program can start at any moment.
      count += 1
      if monitor == nil || count % 8 == 0 { monitor = try? ReachabilityMonitor() }
      let targets = try JSONDecoder().decode([WrittenTarget].self, from: Data(line.utf8))
      let statuses = targets.map { written in
        WrittenStatus(monitor?.currentStatus(of: written.target) ?? .unknown(.systemError))
      }
      say(String(decoding: try JSONEncoder().encode(statuses), as: UTF8.self))
    }
  }
}

// MARK: - The protocol between both

/// A target as a line of text.
private struct WrittenTarget: Codable {
  var address: String?
  var source: String?
  var interface: String?
  var index: Int?
  var mark: UInt32?
  var port: UInt16?
  var isStream: Bool?

  init(_ target: ReachabilityTarget) {
    if case .address(let other) = target.destination { address = other.description }
    source = target.source?.description
    switch target.interface {
    case .name(let name): interface = "\(name)"
    case .bytes: break
    case .index(let number): index = number
    case nil: break
    }
    mark = target.mark
    port = target.port
    isStream = target.transport.map { $0 == .tcp }
  }

  var target: ReachabilityTarget {
    let destination = address.flatMap { ReachabilityAddress($0[...]) }.map {
      ReachabilityTarget.Destination.address($0)
    }
    var target = ReachabilityTarget(destination ?? .defaultRoute)
    target.source = source.flatMap { ReachabilityAddress($0[...]) }
    target.interface = interface.map { .name($0) } ?? index.map { .index($0) }
    target.mark = mark
    target.port = port
    target.transport = isStream.map { $0 ? .tcp : .udp }
    return target
  }
}

/// A status as a part of a line of text.
private struct WrittenStatus: Codable {
  var state: String
  var reason: String?
  var flags: UInt32
  var name: String?
  var index: Int?
  var kind: String?
  var isTunnel: Bool?
  var linkType: String?
  var gateway: String?
  var source: String?

  init(_ status: ReachabilityStatus) {
    state = status.state.rawValue
    reason = status.reason?.rawValue
    flags = status.flags.rawValue
    name = (status.interface?.name).map { "\($0)" }
    index = status.interface?.index
    kind = status.interface?.kind.rawValue
    isTunnel = status.interface?.isTunnel
    linkType = status.interface?.linkType
    gateway = status.gateway?.description
    source = status.source?.description
  }

  var status: ReachabilityStatus {
    var interface: ReachabilityInterface?
    if let name, let index, let kind = kind.flatMap(ReachabilityInterface.Kind.init) {
      interface = ReachabilityInterface(
        name: name, index: index, kind: kind, isTunnel: isTunnel ?? false, linkType: linkType)
    }
    return ReachabilityStatus(
      ReachabilityStatus.State(rawValue: state) ?? .unknown,
      reason: reason.flatMap(ReachabilityStatus.Reason.init),
      flags: ReachabilityStatus.Flags(rawValue: flags), interface: interface,
      gateway: gateway.flatMap { ReachabilityAddress($0[...]) },
      source: source.flatMap { ReachabilityAddress($0[...]) })
  }
}
