// SPDX-License-Identifier: Apache-2.0
// The entry points of libFuzzer. CONTRIBUTING.md says how to run it and what to do with a finding.
//
// The environment variable FUZZ_DECODER selects one decoder for all input. Without it the first byte of an input
// selects the decoder, so that one corpus can serve all.

import CFuzzer
import Foundation

/// The selected decoder, if any.
private let chosen: Check? = {
  guard let name = ProcessInfo.processInfo.environment["FUZZ_DECODER"] else { return nil }
  if let check = Check.all.first(where: { $0.name == name }) { return check }
  for check in Check.all { print(check.name, check.shape.rawValue) }
  exit(name == "list" ? 0 : 2)
}()

/// Returns the check for the input, and the start of its data.
private func recipient(of input: [UInt8]) -> (check: Check, start: Int)? {
  if let chosen { return (chosen, 0) }
  return input.first.map { (Check.all[Int($0) % Check.all.count], 1) }
}

/// Called by libFuzzer before everything else.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>, _ words: UnsafeMutableRawPointer
) -> CInt {
  _ = chosen
  return 0
}

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  guard let (check, start) = recipient(of: input) else { return 0 }
  do throws(Finding) {
    try check.run(start == 0 ? input : Array(input[start...]))
  } catch {
    fatalError("\(check.name): \(error.claim)")
  }
  return 0
}

/// Called by libFuzzer to mutate an input; returns the new length.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32
) -> Int {
  var generator = SeededGenerator(seed: UInt64(seed))
  let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  guard let (check, start) = recipient(of: input), check.shape != .text, generator.chance(2) else {
    return unsafe LLVMFuzzerMutate(bytes, count, limit)
  }
  var changed = Array(input[start...])
  switch check.shape {
  case .messages: changed = NetlinkMutation.mutated(changed, using: &generator)
  case .dbus:
    let length = unsafe LLVMFuzzerMutate(bytes + start, count - start, limit - start)
    changed = unsafe Array(UnsafeBufferPointer(start: bytes + start, count: length))
    DBusMutation.repair(&changed, using: &generator)
  case .text: break
  }
  changed = Array(changed.prefix(limit - start))
  for (position, byte) in changed.enumerated() { unsafe bytes[start + position] = byte }
  return start + changed.count
}
