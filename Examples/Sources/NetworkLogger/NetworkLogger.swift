// A service that logs changes of its network: a line of JSON for each change, suitable for a service manager's journal.
//
// It demonstrates: handlers on a queue instead of sequences and tasks; events, which contain the previous status; and a
// clean end with cancelled observations.
import Dispatch
import ExampleSupport
import Foundation
import ReachabilityKit

@main
struct NetworkLogger {
  private static let usage = """
    usage: NetworkLogger [--port PORT] [TARGET…]

    Logs each change of the path and of TARGETs (addresses, names, URLs), until SIGTERM or Ctrl-C.
      --port  answer each connection to 127.0.0.1:PORT with the latest line of everything
    """

  static func main() async {
    var words = Array(CommandLine.arguments.dropFirst())
    if words.first == "--help" { return say(usage) }
    var port: UInt16?
    if words.first == "--port" {
      port = words.dropFirst().first.flatMap { UInt16($0) }
      if port ?? 0 == 0 { misuse("--port requires a number from 1 to 65535", usage: usage) }
      words.removeFirst(2)
    }
    let targets = words.map { word in
      do { return try ReachabilityTarget(word) } catch { misuse("\(error)", usage: usage) }
    }

    let log = Log()
    do {
      let monitor = try ReachabilityMonitor.shared
      // One queue logs everything, so lines never mix and times never decrease.
      let queue = DispatchQueue(label: "log")
      log.write(.init(event: "started"))
      // An observation lasts until it is released.
      var observations = targets.map { target in
        monitor.observe(target, on: queue) { event in log.write(.init(event)) }
      }
      observations.append(monitor.observePath(on: queue) { path in log.write(.init(path)) })
      let service = try port.map { port in try LineService(port: port) { log.latest } }

      await waitForTermination()
      // From here on no handler begins; those that have begun end before the queue is idle.
      for observation in observations { observation.cancel() }
      service?.stop()
      queue.sync { log.write(.init(event: "stopped")) }
    } catch {
      complain("error: \(error)")
      exit(1)
    }
  }
}
