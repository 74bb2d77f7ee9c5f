// A service that logs what its network does: a line of JSON for each change, as a service manager's journal takes it.
//
// What to learn here: handlers on a queue, in place of sequences and tasks; what a change is (each event brings the status before
// it); and how to end cleanly, with the observations cancelled.
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
      if port ?? 0 == 0 { misuse("--port takes a number from 1 to 65535", usage: usage) }
      words.removeFirst(2)
    }
    let targets = words.map { word in
      do { return try ReachabilityTarget(word) } catch { misuse("\(error)", usage: usage) }
    }

    let log = Log()
    do {
      let monitor = try ReachabilityMonitor.shared
      // Everything is logged on one queue, so lines never mix and times never run back.
      let queue = DispatchQueue(label: "log")
      log.write(.init(event: "started"))
      // An observation lasts as long as it is kept.
      var observations = targets.map { target in
        monitor.observe(target, on: queue) { event in log.write(.init(event)) }
      }
      observations.append(monitor.observePath(on: queue) { path in log.write(.init(path)) })
      let service = try port.map { port in try LineService(port: port) { log.latest } }

      await waitForTermination()
      // From here on no handler begins; those that have begun are done when the queue is.
      for observation in observations { observation.cancel() }
      service?.stop()
      queue.sync { log.write(.init(event: "stopped")) }
    } catch {
      complain("error: \(error)")
      exit(1)
    }
  }
}
