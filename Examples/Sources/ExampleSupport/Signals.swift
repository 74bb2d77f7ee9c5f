// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation

/// Waits for a request to end the program: Ctrl-C (`SIGINT`) or a service manager (`SIGTERM`).
///
/// Returns immediately if the task is cancelled.
public func waitForTermination() async {
  let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
  let sources = [SIGINT, SIGTERM].map { number in
    // By default the signal would end the program before the handler runs.
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler { continuation.yield() }
    source.activate()
    return source
  }
  for await _ in signals { break }
  for source in sources { source.cancel() }
}
