// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// A target that crosses isolation domains: its functions may be called on any thread.
struct SendableTarget: @unchecked Sendable {
  let target: SCNetworkReachability
}

/// A wrapper around the callback: a stream that ends with its consumer.
func flagStream(of host: String) -> AsyncStream<UInt32> {
  AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
    guard let target = SCNetworkReachabilityCreateWithName(nil, host) else { return continuation.finish() }
    final class Box {
      let continuation: AsyncStream<UInt32>.Continuation
      init(_ continuation: AsyncStream<UInt32>.Continuation) { self.continuation = continuation }
    }
    var context = SCNetworkReachabilityContext(
      version: 0, info: Unmanaged.passRetained(Box(continuation)).toOpaque(), retain: nil,
      release: { Unmanaged<Box>.fromOpaque($0).release() }, copyDescription: nil)
    let callback: SCNetworkReachabilityCallBack = { _, flags, info in
      guard let info = info else { return }
      Unmanaged<Box>.fromOpaque(info).takeUnretainedValue().continuation.yield(flags.rawValue)
    }
    guard SCNetworkReachabilitySetCallback(target, callback, &context),
      SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "stream"))
    else { return continuation.finish() }
    let scheduled = SendableTarget(target: target)
    continuation.onTermination = { @Sendable _ in
      SCNetworkReachabilitySetDispatchQueue(scheduled.target, nil)
      SCNetworkReachabilitySetCallback(scheduled.target, nil, nil)
    }
  }
}

/// An actor that owns a target, and is called back.
actor ReachabilityActor {
  private let target: SCNetworkReachability
  private var waiting: [CheckedContinuation<UInt32, Never>] = []
  private var latest: UInt32?

  init?(host: String) {
    guard let target = SCNetworkReachabilityCreateWithName(nil, host) else { return nil }
    self.target = target
  }

  func start() -> Bool {
    var context = SCNetworkReachabilityContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    let isSet = SCNetworkReachabilitySetCallback(
      target,
      { _, flags, info in
        guard let info = info else { return }
        let owner = Unmanaged<ReachabilityActor>.fromOpaque(info).takeUnretainedValue()
        let number = flags.rawValue
        Task { await owner.receive(number) }
      }, &context)
    return isSet && SCNetworkReachabilitySetDispatchQueue(target, .global(qos: .userInitiated))
  }

  func stop() {
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    SCNetworkReachabilitySetCallback(target, nil, nil)
  }

  private func receive(_ flags: UInt32) {
    latest = flags
    for continuation in waiting { continuation.resume(returning: flags) }
    waiting = []
  }

  func first() async -> UInt32 {
    if let latest = latest { return latest }
    return await withCheckedContinuation { waiting.append($0) }
  }
}

/// A model on the main actor, to which the callback's task returns.
@MainActor final class NetworkModel {
  private(set) var isOnline: Bool?
  private var continuation: CheckedContinuation<Void, Never>?
  private let target: SCNetworkReachability

  init?(host: String) {
    guard let target = SCNetworkReachabilityCreateWithName(nil, host) else { return nil }
    self.target = target
  }

  private func update(_ flags: SCNetworkReachabilityFlags) {
    isOnline = flags.contains(.reachable)
    continuation?.resume()
    continuation = nil
  }

  func load() async {
    let queue = DispatchQueue(label: "model")
    var context = SCNetworkReachabilityContext(
      version: 0, info: Unmanaged.passUnretained(self).toOpaque(), retain: nil, release: nil, copyDescription: nil)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      self.continuation = continuation
      SCNetworkReachabilitySetCallback(target, modelCallback, &context)
      SCNetworkReachabilitySetDispatchQueue(target, queue)
    }
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    SCNetworkReachabilitySetCallback(target, nil, nil)
  }

  fileprivate nonisolated func receive(_ flags: SCNetworkReachabilityFlags) {
    Task { @MainActor in update(flags) }
  }
}

private func modelCallback(
  _ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags, _ info: UnsafeMutableRawPointer?
) {
  guard let info = info else { return }
  Unmanaged<NetworkModel>.fromOpaque(info).takeUnretainedValue().receive(flags)
}

func observeConcurrently() async -> [String] {
  var lines: [String] = []
  for await flags in flagStream(of: "listed.test") {
    lines.append("stream \(String(flags, radix: 16))")
    break
  }
  for await _ in flagStream(of: "") { lines.append("stream of nothing") }
  if let owner = ReachabilityActor(host: "listed.test"), await owner.start() {
    lines.append("actor \(String(await owner.first(), radix: 16))")
    await owner.stop()
  }
  if let model = await NetworkModel(host: "listed.test") {
    await model.load()
    lines.append("model \(await model.isOnline == true)")
  }
  let target = SendableTarget(target: SCNetworkReachabilityCreateWithName(nil, "127.0.0.1")!)
  let flags = await Task.detached { () -> UInt32 in
    var flags = SCNetworkReachabilityFlags()
    return SCNetworkReachabilityGetFlags(target.target, &flags) ? flags.rawValue : 0
  }.value
  lines.append("task \(String(flags, radix: 16))")
  return lines
}

/// Runs the main run loop, which the main actor needs, until the tasks are done.
@MainActor func runConcurrently() -> [String] {
  final class Result: @unchecked Sendable { var lines: [String]? }
  let result = Result()
  Task { @MainActor in result.lines = await observeConcurrently() }
  let limit = Date(timeIntervalSinceNow: 40)
  while result.lines == nil, Date() < limit { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
  return result.lines ?? []
}
