// SPDX-License-Identifier: Apache-2.0
// Shows a host in the three classic ways, and each change, until Ctrl-C: the C functions, AFNetworking's manager and
// Apple's sample.
//
// It demonstrates: code as it was written for Apple platforms, which runs unchanged on Linux. Nothing in it but the
// imports names this package.
import ExampleSupport
import Foundation
import SystemConfiguration

@main
struct ClassicMonitor {
  private static let usage = """
    usage: ClassicMonitor HOST

    HOST is an address or a host's name.
    """

  @MainActor static func main() {
    let words = CommandLine.arguments.dropFirst()
    if words.first == "--help" { return say(usage) }
    guard words.count == 1, let host = words.first, !host.hasPrefix("-") else {
      misuse("expected one host", usage: usage)
    }

    guard let target = TargetMonitor(host: host), let sample = SampleController(host: host), target.start()
    else {
      complain("error: \(String(cString: SCErrorString(SCError())))")
      exit(1)
    }
    let manager = ManagerMonitor()
    manager.start()
    sample.start()

    Task {
      await waitForTermination()
      CFRunLoopStop(CFRunLoopGetMain())
    }
    // All three deliver on the main run loop, which an app for Apple platforms has anyway.
    CFRunLoopRun()

    target.stop()
    manager.stop()
    sample.stop()
  }

  static func show(_ subject: String, _ text: String) {
    let time = Date.now.formatted(.dateTime.hour().minute().second())
    say("\(time)  \(subject.padding(toLength: 16, withPad: " ", startingAt: 0))  \(text)")
  }
}
