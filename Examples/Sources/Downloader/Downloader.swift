// SPDX-License-Identifier: Apache-2.0
// Downloads a file, and resumes after the cable was unplugged.
//
// It demonstrates: `withReachability`, which retries an operation that failed because of the network, after the network
// is back and not after a timer; and `explain`, which describes the reason in words when the download fails for good.
import ExampleSupport
import Foundation
import ReachabilityHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@main
struct Downloader {
  private static let usage = """
    usage: Downloader [--idle SECONDS] [--timeout SECONDS] URL FILE

    Loads URL (http or https) into FILE.part, which becomes FILE when it is complete.
      --idle      the time without data after which the connection counts as broken (10)
      --timeout   the total time to wait for the network (600)
    """

  static func main() async {
    var arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "--help" { return say(usage) }
    var options = ["--idle": 10, "--timeout": 600]
    while let name = arguments.first, name.hasPrefix("-") {
      guard options[name] != nil else { misuse("unknown option '\(name)'", usage: usage) }
      guard let text = arguments.dropFirst().first, let seconds = Int(text), seconds > 0 else {
        misuse("\(name) requires a number of seconds, 1 or more", usage: usage)
      }
      options[name] = seconds
      arguments = arguments.dropFirst(2)
    }
    let words = Array(arguments)
    guard words.count == 2 else { misuse("expected a URL and a file", usage: usage) }
    // With a proxy for requests, the proxy must be reachable.
    guard let url = URL(string: words[0]), let target = ReachabilityTarget(url)
    else { misuse("'\(words[0])' is not an http or https URL with a host", usage: usage) }

    let idle = TimeInterval(options["--idle", default: 10])
    let timeout = Duration.seconds(options["--timeout", default: 600])
    do {
      let download = try Download(of: url, to: words[1], idle: idle)
      try await load(download, from: target, timeout: timeout)
      say("done: \(download.receivedBytes) bytes in \(words[1])")
    } catch let error as URLError {
      complain("error: \(error.localizedDescription)")
      await explain(target)
      exit(1)
    } catch {
      complain("error: \(error)")
      exit(1)
    }
  }

  /// Downloads the file, in as many requests as the network requires.
  private static func load(
    _ download: Download, from target: ReachabilityTarget, timeout: Duration
  ) async throws {
    let monitor = ReachabilityMonitor.shared
    try await monitor.withReachability(
      of: target,
      deadline: .now + timeout,
      // An error of the server or a full disk does not depend on the network.
      retrying: { $0 is URLError },
      onWait: { status in say("waiting at byte \(download.receivedBytes): \(status)") }
    ) {
      // A request over an unplugged cable fails only after a timeout. This check fails immediately, and then waits.
      let status = monitor.currentStatus(of: target)
      if status.state == .notReachable {
        throw URLError(
          .notConnectedToInternet, userInfo: [NSLocalizedDescriptionKey: "\(target) is \(status)"])
      }
      try await download.goOn()
    }
    try download.finish()
  }

  /// Prints whether the network caused the failure, and what to do about it.
  private static func explain(_ target: ReachabilityTarget) async {
    guard let explanation = try? await ReachabilityMonitor.shared.explain(target) else { return }
    complain("the network: \(explanation.summary)")
    if let advice = explanation.firstFailure?.advice { complain("what to do: \(advice)") }
  }
}
