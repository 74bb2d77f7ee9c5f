// SPDX-License-Identifier: Apache-2.0
import CReachability
import ReachabilityKit

/// A struct of the caller, who may have another version of the header; its first member is its size.
@safe struct CallerStruct<Value> {
  /// As many bytes as the caller's version has.
  private let bytes: UnsafeMutableRawBufferPointer

  /// Checks the size that the caller has set; a place that the header calls const is only read.
  init(_ place: UnsafePointer<Value>?, _ name: String) throws(Failure) {
    let start = unsafe UnsafeMutableRawPointer(mutating: try required(place, name))
    let size = unsafe start.loadUnaligned(as: Int.self)
    guard size >= MemoryLayout<Int>.size, size <= 1 << 16 else {
      throw .invalid(
        "the size of '\(name)' is \(size); set it to sizeof, which is \(MemoryLayout<Value>.size)")
    }
    unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: size)
  }

  /// Stores the members that both versions have, and clears the others.
  func store(_ value: Value) {
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe withUnsafeBytes(of: value) { unsafe bytes.copyBytes(from: $0.prefix(bytes.count)) }
    unsafe bytes.storeBytes(of: bytes.count, as: Int.self)
  }

  /// Reads the members that both versions have; the others keep their values.
  func read(into value: inout Value) {
    unsafe withUnsafeMutableBytes(of: &value) { unsafe $0.copyBytes(from: bytes.prefix($0.count)) }
  }
}

/// Copies text into an array of zeros in a struct, and leaves the last one; what is too long is cut at a character.
private func copy<Characters>(_ text: String, into characters: inout Characters) {
  unsafe withUnsafeMutableBytes(of: &characters) { bytes in
    let end = text.utf8.index(text.startIndex, offsetBy: bytes.count - 1, limitedBy: text.endIndex)
    // The end is rounded down to a character. A null ends the text.
    let whole = text.unicodeScalars[..<(end ?? text.endIndex)].prefix { $0 != "\0" }
    unsafe bytes.copyBytes(from: Substring(whole).utf8)
  }
}

/// The number of an answer to a question: 1 for yes, 0 for no, -1 for unknown.
private func number(of answer: Bool?) -> Int32 { answer.map { $0 ? 1 : 0 } ?? -1 }

/// The number that the header gives a case, by its order there; 0 also stands for cases that it lacks.
private func number<Case: Equatable>(of value: Case, in header: [Case]) -> UInt32 {
  UInt32(header.firstIndex(of: value) ?? 0)
}

extension reachability_interface {
  init(_ interface: ReachabilityInterface) {
    self.init()
    index = UInt32(clamping: interface.index)
    let kinds: [ReachabilityInterface.Kind] = [.other, .loopback, .wired, .wifi, .cellular, .bluetooth]
    kind = reachability_interface_kind(number(of: interface.kind, in: kinds))
    is_tunnel = number(of: interface.isTunnel)
    copy(interface.name, into: &name)
  }
}

extension reachability_status {
  init(_ status: ReachabilityStatus) {
    unsafe self.init()
    unsafe size = MemoryLayout<Self>.size
    unsafe state = reachability_state(number(of: status.state, in: [.unknown, .notReachable, .reachable]))
    unsafe flags = status.flags.rawValue
    unsafe reason = HandleTable.current.constant(status.reason?.rawValue)
    unsafe reason_text = HandleTable.current.constant(status.reason?.description)
    if let interface = status.interface { unsafe self.interface = reachability_interface(interface) }
    unsafe copy(status.gateway?.description ?? "", into: &gateway)
    unsafe copy(status.source?.description ?? "", into: &source)
  }
}

extension reachability_path {
  init(_ path: ReachabilityPath) {
    unsafe self.init()
    unsafe size = MemoryLayout<Self>.size
    let states: [ReachabilityPath.Status] = [.unknown, .unsatisfied, .satisfied, .requiresConnection]
    unsafe state = reachability_path_state(number(of: path.status, in: states))
    let isKnown = path.status != .unknown
    unsafe supports_ipv4 = number(of: isKnown ? path.supportsIPv4 : nil)
    unsafe supports_ipv6 = number(of: isKnown ? path.supportsIPv6 : nil)
    unsafe supports_dns = number(of: isKnown ? path.supportsDNS : nil)
    unsafe is_expensive = number(of: path.isExpensive)
    unsafe is_constrained = number(of: path.isConstrained)
    unsafe reason = HandleTable.current.constant(path.reason?.rawValue)
    unsafe reason_text = HandleTable.current.constant(path.reason?.description)
    unsafe interface_count = UInt32(clamping: path.interfaces.count)
    guard let first = path.interfaces.first else { return }
    unsafe interface = reachability_interface(first.interface)
    unsafe copy(first.gateways.first?.description ?? "", into: &gateway)
  }
}

extension reachability_evidence {
  init(_ evidence: TrafficEvidence) {
    unsafe self.init(
      size: MemoryLayout<Self>.size,
      verdict: reachability_verdict(number(of: evidence.verdict, in: [.none, .answering, .stalled])),
      is_strong: number(of: evidence.strength == .strong),
      fault: HandleTable.current.constant(evidence.fault?.rawValue),
      obstacle: HandleTable.current.constant(evidence.obstacle?.rawValue),
      received: evidence.received.map { Int64($0.milliseconds) } ?? -1,
      stalled: evidence.stalled.map { Int64($0.milliseconds) } ?? -1,
      connections: UInt32(clamping: evidence.connections),
      stalled_connections: UInt32(clamping: evidence.stalledConnections),
      answering_peers: UInt32(clamping: evidence.answeringPeers),
      stalled_peers: UInt32(clamping: evidence.stalledPeers))
  }
}
