// SPDX-License-Identifier: Apache-2.0
import CReachability
import ClassicSupport
import ReachabilityKit
import Testing

/// A handle, which is a number, and so may be used on any thread.
struct Handle: Sendable, Equatable {
  let number: UInt

  init(_ pointer: OpaquePointer?) { number = UInt(bitPattern: pointer) }

  var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: number) }
  var isNull: Bool { number == 0 }
}

/// A monitor of a network with one cable, as a C program has it.
final class CalledMonitor: Sendable {
  let cable: Cable
  let handle: Handle

  init() throws {
    cable = try Cable()
    handle = try cable.host.run { unsafe Handle(reachability_monitor_create(nil)) }
    try #require(!handle.isNull, "\(lastError())")
  }

  deinit { _ = unsafe reachability_monitor_destroy(handle.pointer) }

  func target(_ text: String) -> Handle { unsafe Handle(reachability_target_create(text, nil)) }

  func status(of target: Handle) throws -> reachability_status {
    var status = unsafe reachability_status.sized
    try #require(
      unsafe reachability_current_status(handle.pointer, target.pointer, &status) == REACHABILITY_OK)
    return unsafe status
  }
}

/// The text of this thread's last failure.
func lastError() -> String { unsafe String(cString: reachability_last_error_text()) }

/// The text of an array of characters.
func text<Characters>(_ characters: Characters) -> String {
  unsafe withUnsafeBytes(of: characters) { bytes in
    unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}

/// The text of a constant.
func string(_ constant: UnsafePointer<CChar>?) -> String? {
  unsafe constant.map { unsafe String(cString: $0) }
}

extension reachability_status {
  static var sized: Self {
    var status = unsafe Self()
    unsafe status.size = MemoryLayout<Self>.size
    return unsafe status
  }
}
extension reachability_path {
  static var sized: Self {
    var path = unsafe Self()
    unsafe path.size = MemoryLayout<Self>.size
    return unsafe path
  }
}
extension reachability_evidence {
  static var sized: Self {
    var evidence = unsafe Self()
    unsafe evidence.size = MemoryLayout<Self>.size
    return unsafe evidence
  }
}
