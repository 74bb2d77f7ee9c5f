// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import POSIX
import ReachabilityKit

extension Option {
  static let connect = Option(
    "connect", "also connect over TCP to the port of each target, and close the connection at once",
    detail: """
      Each target is a URL with a port, such as tcp://10.9.0.1:22 or https://example.com. The addresses of a host are \
      tried in the order of RFC 8305, and one that answers suffices. The connection follows the options that bind the \
      target, and sends nothing but the handshake.
      """)
}

extension ParsedOptions {
  /// Reads whether to connect to the targets, each of which then has a port.
  func connects(to targets: [NamedTarget]) throws(UsageError) -> Bool {
    guard has(.connect) else { return false }
    let problems = targets.compactMap { named -> String? in
      if named.target.port == nil || named.target.transport == .udp {
        return "--connect needs a TCP port, which '\(named.text)' does not have"
      }
      return named.target.destination == .defaultRoute ? "'\(named.text)' is no address to connect to" : nil
    }
    guard problems.isEmpty else {
      throw UsageError(problems, hint: "give a URL, for example tcp://10.9.0.1:22")
    }
    return true
  }
}

/// The value of an asynchronous call, for the thread that waits for it.
final class AwaitedResult<Value: Sendable>: Sendable {
  private let result = Handover<Result<Value, any Error>>()

  /// Starts the call.
  init(_ call: @escaping @Sendable () async throws -> Value) {
    Task(executorPreference: TaskQueue.shared) { [result] in
      do {
        result.fulfil(.success(try await call()))
      } catch {
        result.fulfil(.failure(error))
      }
    }
  }

  /// Blocks until the call has returned; to be called once.
  func wait() throws(ReachabilityMonitorError) -> Value {
    do {
      return try result.wait().get()
    } catch let error as ReachabilityMonitorError {
      throw error
    } catch {
      throw ReachabilityMonitorError(
        .systemUnavailable, description: "the connection attempt was cancelled: \(error)")
    }
  }
}

/// Attempts to connect to many targets, a few of them at a time.
struct Connections {
  let monitor: ReachabilityMonitor
  /// The time limit of each target, the lookup of its name included.
  let timeout: Duration

  /// The number of targets that are tried at a time; each takes a thread.
  static let limit = 16

  /// Passes on the outcome of each target, in their order.
  ///
  /// - Parameter body: Returns whether to go on.
  func forEach(
    of targets: [NamedTarget], _ body: (Int, ReachabilityConnectionReport) -> Bool
  ) throws(ReachabilityMonitorError) {
    for start in stride(from: 0, to: targets.count, by: Self.limit) {
      let positions = start..<min(start + Self.limit, targets.count)
      let attempts = positions.map { position in
        let target = targets[position].target
        return AwaitedResult { [monitor, timeout] in try await monitor.connect(to: target, timeout: timeout) }
      }
      for (position, attempt) in zip(positions, attempts) {
        guard body(position, try attempt.wait()) else { return }
      }
    }
  }
}
