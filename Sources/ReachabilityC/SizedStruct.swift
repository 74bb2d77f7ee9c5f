// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CReachability
import ReachabilityKit

/// A struct of the header whose first member is its size.
protocol SizedStruct {
  var size: Int { get set }
}

extension reachability_constraints: SizedStruct {}
extension reachability_evidence: SizedStruct {}
extension reachability_path: SizedStruct {}
extension reachability_status: SizedStruct {}

extension SizedStruct {
  /// The least size that a caller may give: that of the size itself.
  ///
  /// - Throws: `INVALID_ARGUMENT` for null and for sizes below it.
  private static func size(of place: UnsafePointer<Self>?, _ name: String) throws(Failure) -> Int {
    guard let place = unsafe place else { throw .invalidArgument("'\(name)' is null") }
    let size = unsafe UnsafeRawPointer(place).loadUnaligned(as: Int.self)
    guard size >= MemoryLayout<Int>.size, size <= 1 << 16 else {
      throw .invalidArgument(
        "the size of '\(name)' is \(size); set it to sizeof, which is \(MemoryLayout<Self>.size)")
    }
    return size
  }

  /// Checks where to store a value, before the work that finds it.
  static func check(_ place: UnsafePointer<Self>?, _ name: String) throws(Failure) {
    _ = try unsafe size(of: place, name)
  }

  /// Stores the members that the caller knows, and clears those that the library does not know.
  func store(in place: UnsafeMutablePointer<Self>?, _ name: String) throws(Failure) {
    let size = try unsafe Self.size(of: UnsafePointer(place), name)
    guard let place = unsafe place else { return }
    let target = unsafe UnsafeMutableRawBufferPointer(start: place, count: size)
    var value = self
    value.size = size
    unsafe withUnsafeBytes(of: value) { bytes in
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(size)))
    }
    for index in MemoryLayout<Self>.size..<max(size, MemoryLayout<Self>.size) { unsafe target[index] = 0 }
  }

  /// Reads the members that the caller knows; the others are 0.
  init(reading place: UnsafePointer<Self>, zero: Self, _ name: String) throws(Failure) {
    let size = try unsafe Self.size(of: place, name)
    self = zero
    unsafe withUnsafeMutableBytes(of: &self) { bytes in
      let count = min(size, bytes.count)
      unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: place, count: count))
    }
  }
}

/// Copies text into an array of characters of a struct, with its null; what is too long is cut between characters.
private func copy<Characters>(_ text: String, into characters: inout Characters) {
  unsafe withUnsafeMutableBytes(of: &characters) { bytes in
    var position = 0
    for character in text.unicodeScalars {
      let units = Array(String(character).utf8)
      // A null ends the text.
      guard units != [0], position + units.count < bytes.count else { break }
      for unit in units {
        unsafe bytes[position] = unit
        position += 1
      }
    }
    unsafe bytes[position] = 0
  }
}

extension reachability_interface {
  init(_ interface: ReachabilityInterface) {
    self.init()
    index = UInt32(clamping: interface.index)
    kind =
      switch interface.kind {
      case .other: REACHABILITY_KIND_OTHER
      case .loopback: REACHABILITY_KIND_LOOPBACK
      case .wired: REACHABILITY_KIND_WIRED
      case .wifi: REACHABILITY_KIND_WIFI
      case .cellular: REACHABILITY_KIND_CELLULAR
      case .bluetooth: REACHABILITY_KIND_BLUETOOTH
      }
    is_tunnel = interface.isTunnel ? 1 : 0
    copy(interface.name, into: &name)
  }
}

extension reachability_status {
  init(_ status: ReachabilityStatus) {
    unsafe self.init()
    let table = HandleTable.current
    unsafe size = MemoryLayout<Self>.size
    unsafe state =
      switch status.state {
      case .unknown: REACHABILITY_UNKNOWN
      case .notReachable: REACHABILITY_NOT_REACHABLE
      case .reachable: REACHABILITY_REACHABLE
      }
    unsafe flags = status.flags.rawValue
    unsafe reason = status.reason.flatMap { unsafe table.constant($0.rawValue) }
    unsafe reason_text = status.reason.flatMap { unsafe table.constant($0.description) }
    if let interface = status.interface { unsafe self.interface = reachability_interface(interface) }
    if let gateway = status.gateway { unsafe copy(gateway.description, into: &self.gateway) }
    if let source = status.source { unsafe copy(source.description, into: &self.source) }
  }
}

/// The number of an answer to a question: 1 for yes, 0 for no, -1 for unknown.
private func number(_ answer: Bool?) -> Int32 { answer.map { $0 ? 1 : 0 } ?? -1 }

extension reachability_path {
  init(_ path: ReachabilityPath) {
    unsafe self.init()
    let table = HandleTable.current
    unsafe size = MemoryLayout<Self>.size
    unsafe state =
      switch path.status {
      case .unknown: REACHABILITY_PATH_UNKNOWN
      case .unsatisfied: REACHABILITY_PATH_UNSATISFIED
      case .satisfied: REACHABILITY_PATH_SATISFIED
      case .requiresConnection: REACHABILITY_PATH_REQUIRES_CONNECTION
      }
    let isKnown = path.status != .unknown
    unsafe supports_ipv4 = number(isKnown ? path.supportsIPv4 : nil)
    unsafe supports_ipv6 = number(isKnown ? path.supportsIPv6 : nil)
    unsafe supports_dns = number(isKnown ? path.supportsDNS : nil)
    unsafe is_expensive = number(path.isExpensive)
    unsafe is_constrained = number(path.isConstrained)
    unsafe reason = path.reason.flatMap { unsafe table.constant($0.rawValue) }
    unsafe reason_text = path.reason.flatMap { unsafe table.constant($0.description) }
    unsafe interface_count = UInt32(clamping: path.interfaces.count)
    guard let first = path.interfaces.first else { return }
    unsafe interface = reachability_interface(first.interface)
    if let gateway = first.gateways.first { unsafe copy(gateway.description, into: &self.gateway) }
  }
}

extension reachability_evidence {
  init(_ evidence: TrafficEvidence) {
    unsafe self.init()
    let table = HandleTable.current
    unsafe size = MemoryLayout<Self>.size
    unsafe verdict =
      switch evidence.verdict {
      case .none: REACHABILITY_NO_EVIDENCE
      case .answering: REACHABILITY_ANSWERING
      case .stalled: REACHABILITY_STALLED
      }
    unsafe is_strong = evidence.strength == .strong ? 1 : 0
    unsafe fault = evidence.fault.flatMap { unsafe table.constant($0.rawValue) }
    unsafe obstacle = evidence.obstacle.flatMap { unsafe table.constant($0.rawValue) }
    unsafe received = evidence.received.map { Int64($0.milliseconds) } ?? -1
    unsafe stalled = evidence.stalled.map { Int64($0.milliseconds) } ?? -1
    unsafe connections = UInt32(clamping: evidence.connections)
    unsafe stalled_connections = UInt32(clamping: evidence.stalledConnections)
    unsafe answering_peers = UInt32(clamping: evidence.answeringPeers)
    unsafe stalled_peers = UInt32(clamping: evidence.stalledPeers)
  }
}
