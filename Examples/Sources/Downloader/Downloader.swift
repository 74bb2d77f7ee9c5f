// Loads a file, and goes on where it was when a cable was unplugged and is back.
//
// What to learn here: `withReachability` runs an operation again if the network was why it failed, waiting for the network and
// not for a timer; and `explain` says why, in words for a person, when it comes to giving up.
import ExampleSupport
import Foundation
import ReachabilityHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@main
struct Downloader {
  private static let usage = """
    usage: Downloader [--idle SECONDS] [--patience SECONDS] URL FILE

    Loads URL (http or https) into FILE.part, which becomes FILE when it is complete.
      --idle      how long nothing may come before the connection counts as broken (10)
      --patience  how long to wait for the network in all (600)
    """

  static func main() async {
    var arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "--help" { return say(usage) }
    var options = ["--idle": 10, "--patience": 600]
    while let name = arguments.first, name.hasPrefix("-") {
      guard options[name] != nil else { misuse("there is no option '\(name)'", usage: usage) }
      guard let text = arguments.dropFirst().first, let seconds = Int(text), seconds > 0 else {
        misuse("\(name) takes a number of seconds, 1 or more", usage: usage)
      }
      options[name] = seconds
      arguments = arguments.dropFirst(2)
    }
    let words = Array(arguments)
    guard words.count == 2 else { misuse("a URL and a file are needed", usage: usage) }
    // Where requests go by a proxy, it is the proxy that must be reachable.
    guard let url = URL(string: words[0]), let target = ReachabilityTarget(ofRequestsTo: url)
    else { misuse("'\(words[0])' is no http or https URL with a host", usage: usage) }

    let idle = TimeInterval(options["--idle", default: 10])
    let patience = Duration.seconds(options["--patience", default: 600])
    do {
      let download = try Download(of: url, to: words[1], idle: idle)
      try await load(download, from: target, patience: patience)
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

  /// Loads the file, in as many requests as the network makes necessary.
  private static func load(
    _ download: Download, from target: ReachabilityTarget, patience: Duration
  ) async throws {
    let monitor = try ReachabilityMonitor.shared
    try await monitor.withReachability(
      of: target,
      deadline: .now + patience,
      // A server that says no, or a disk that is full, is the same with any network.
      retrying: { $0 is URLError },
      onWait: { status in say("waiting at byte \(download.receivedBytes): \(status)") }
    ) {
      // A request into an unplugged cable fails only when nothing came for a while. This fails now, and then it is waited.
      let status = monitor.status(of: target)
      if status.state == .notReachable {
        throw URLError(
          .notConnectedToInternet, userInfo: [NSLocalizedDescriptionKey: "\(target) is \(status)"])
      }
      try await download.goOn()
    }
    try download.finish()
  }

  /// Tells whether the network is to blame, and what a person can do about it.
  private static func explain(_ target: ReachabilityTarget) async {
    guard let monitor = try? ReachabilityMonitor.shared,
      let explanation = try? await monitor.firstKnownExplanation(of: target)
    else { return }
    complain("the network: \(explanation.summary)")
    if let advice = explanation.firstFailure?.advice { complain("what to do: \(advice)") }
  }
}
