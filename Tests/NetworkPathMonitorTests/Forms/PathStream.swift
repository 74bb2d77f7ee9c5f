// SPDX-License-Identifier: Apache-2.0
import Foundation
import NetworkPathMonitor

/// A monitor as a stream, cancelled when the stream ends, and as a sequence.
struct PathStream {
  func paths() -> AsyncStream<NWPath> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let monitor = NWPathMonitor()
      monitor.pathUpdateHandler = { continuation.yield($0) }
      continuation.onTermination = { @Sendable _ in monitor.cancel() }
      monitor.start(queue: DispatchQueue(label: "PathStream"))
    }
  }

  func statuses(of monitor: NWPathMonitor) -> AsyncStream<Bool> {
    let (stream, continuation) = AsyncStream<Bool>.makeStream()
    let task = Task {
      for await path in monitor {
        continuation.yield(path.status == .satisfied)
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }
}
