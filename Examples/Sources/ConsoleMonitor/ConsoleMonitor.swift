// Shows the network as it is and as it changes, until Ctrl-C.
//
// What to learn here: one monitor answers for any number of targets; a sequence begins with what is so now, then brings each
// change; and it ends with the task that reads it.
import ExampleSupport
import Foundation
import ReachabilityKit

@main
struct ConsoleMonitor {
  private static let usage = """
    usage: ConsoleMonitor [TARGET…]

    TARGET is an address, a host's name or a URL; the path is shown in any case.
    """

  static func main() async {
    let words = CommandLine.arguments.dropFirst()
    if words.first == "--help" { return say(usage) }
    let targets = words.map(target)

    let monitor: ReachabilityMonitor
    do {
      monitor = try ReachabilityMonitor.shared
    } catch {
      complain("error: \(error)")
      exit(1)
    }

    await withTaskGroup { group in
      group.addTask { await showPath(by: monitor) }
      for target in targets {
        group.addTask { await showStatus(of: target, by: monitor) }
      }
      group.addTask { await waitForTermination() }

      // The sequences never end by themselves, so the first task to end is that which waits for the signal.
      await group.next()
      group.cancelAll()
    }
  }

  /// By which interfaces packets leave this machine in general, and whether there are IPv4, IPv6 and name servers.
  private static func showPath(by monitor: ReachabilityMonitor) async {
    for await path in monitor.paths() {
      show("path", "\(path)")
    }
  }

  /// Whether packets can leave for a target; if not, why not.
  private static func showStatus(of target: ReachabilityTarget, by monitor: ReachabilityMonitor) async {
    // What lasts less than this is not worth a line. Without it, each change is told as it happens.
    for await event in monitor.statuses(of: target, settling: .milliseconds(100)) {
      show("\(target)", "\(event.status)")
    }
  }

  private static func target(_ word: String) -> ReachabilityTarget {
    do {
      return try ReachabilityTarget(word)
    } catch {
      misuse("\(error)", usage: usage)
    }
  }

  private static func show(_ subject: String, _ text: String) {
    let time = Date.now.formatted(.dateTime.hour().minute().second())
    say("\(time)  \(subject.padding(toLength: max(16, subject.count), withPad: " ", startingAt: 0))  \(text)")
  }
}
