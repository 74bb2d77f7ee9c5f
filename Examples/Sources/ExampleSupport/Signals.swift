import Dispatch
import Foundation

/// Waits until the program is asked to end: by Ctrl-C (`SIGINT`) or by a service manager (`SIGTERM`).
///
/// Returns at once if the task is cancelled.
public func waitForTermination() async {
  let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
  let sources = [SIGINT, SIGTERM].map { number in
    // Else the signal would end the program before anyone hears of it.
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler { continuation.yield() }
    source.activate()
    return source
  }
  for await _ in signals { break }
  for source in sources { source.cancel() }
}
