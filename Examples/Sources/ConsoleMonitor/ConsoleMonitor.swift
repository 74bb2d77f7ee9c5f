// SPDX-License-Identifier: Apache-2.0
// Shows the present state of the network and each change, until Ctrl-C.
//
// It demonstrates: one monitor for any number of targets; a sequence that begins with the present status, then delivers
// each change; and the end of the sequence with its task.
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

    let monitor = ReachabilityMonitor.shared
    if let failure = monitor.diagnostics.failure {
      complain("error: \(failure)")
      exit(1)
    }

    await withTaskGroup { group in
      group.addTask { await showPath(by: monitor) }
      for target in targets {
        group.addTask { await showStatus(of: target, by: monitor) }
      }
      group.addTask { await waitForTermination() }

      // The sequences never end by themselves, so the first task to end is the one that waits for the signal.
      await group.next()
      group.cancelAll()
    }
  }

  /// Shows the interfaces of the default routes, and whether IPv4, IPv6 and name servers are available.
  private static func showPath(by monitor: ReachabilityMonitor) async {
    for await path in monitor.paths() {
      show("path", "\(path)")
    }
  }

  /// Shows whether packets can leave for a target, and the reason if not.
  private static func showStatus(of target: ReachabilityTarget, by monitor: ReachabilityMonitor) async {
    // Omits statuses that last less than this. Without it, each change is delivered immediately.
    for await event in monitor.events(of: target, settling: .milliseconds(100)) {
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
