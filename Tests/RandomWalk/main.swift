// A random walk through networks, on which the library and others are asked the same.
//
// A lab (`Lab`) is a network namespace with a link of every kind that this kernel has, and two namespaces at the far
// ends of its cables. A generator (`Generator`) thinks of steps: routes of every type, rules, next hops, addresses,
// links that go down, lose their carrier, are renamed, moved, removed and made anew, kernel parameters. The same seed
// gives the same steps. What the kernel or `ip` refuses is counted, and fine. After 400 steps comes a new lab.
//
// After each step
//
// - the observers of a fixed set of targets must come to know what a fresh question is answered, within 3 seconds, and
//   each event must follow from the one before it (`Watchers`);
// - the statuses of ten random targets, with sources, interfaces and marks, are compared with what `ip -json route get`
//   says, with and without `fibmatch`, translated by the table of meanings (`Oracle`). Nothing of the library's own
//   evaluation takes part in that;
// - with what the kernel makes of a socket that is bound and connected so (`Connection`), which knows nothing of
//   carriers and gateways, but whose word on routes, rules, users, ports and sources is the last;
// - and, where a route has several next hops and for a share of all others, with where packets arrive (`Delivery`): at
//   which far end, from which link and for which gateway, or at a port of this machine.
//
// Some questions are asked by threads that act for another user. In two of six labs a child is asked (`Respondent`): in
// one it is in a user namespace that maps its own user only, in the other its kernel has no IPv6.
//
// The kernel does some things a moment later than it says so, or says so a moment later: a side that disagrees is asked
// again for 3 seconds, with our own status taken before and after the other's. How many agreed only then is reported at
// the end.
//
// A disagreement ends the walk. The steps that led to it are shortened, in fresh labs, to those that it takes
// (`Shrinker`), and printed as a shell script.
//
// What is known to be beyond comparison (see `Oracle.isBeyondAsking`, `Oracle.hidesSource` and the two `complaint`s):
//
// - `ip` has no question about IPv6 packets from a source that are bound to an interface: only a socket is. Routes for
//   some sources, over an interface that is not the best one for such a source, are not found by the library either. Nor
//   is the source of a TCP socket for which there is a route for some sources only.
// - Where ports choose one of several next hops, the status may name any that works. Of several IPv4 default routes with
//   one metric the kernel takes each in turn while it knows the routers, so no packets are sent then.
// - A group of IPv6 next hops sends packets by any of them, whatever interface their socket is bound to.
// - `lo` with IPv6 disabled delivers no IPv6 packets, and no message of the kernel says so.
#if os(Linux)
import Foundation
import LiveSupport

/// Walks, and says what came of it; returns whether all agreed.
private func walk(_ options: Options) throws -> Bool {
  say("seed \(options.seed)")
  let start = SuspendingClock.now
  var walk = Walk(options)
  let finding = try walk.run()
  say(walk.tally.text(since: start))
  guard let finding else { return walk.tally.disagreements == 0 }
  say("\n\(finding.text(seed: options.seed))\n\nShrinking …")
  var shrinker = Shrinker(finding, within: .seconds(60))
  if try shrinker.run() {
    say("This repeats it:\n\n\(shrinker.script())")
  } else {
    say("It does not come again by itself. All that was done:\n\n\(shrinker.script())")
  }
  say(
    "\nAgain: scripts/random-walk --seed \(options.seed) --lab \(finding.lab) --steps \(finding.steps.count)")
  return false
}

if CommandLine.arguments.contains("--help") {
  say(Options.usage)
  exit(0)
}
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == Respondent.option,
  let perspective = Perspective(rawValue: CommandLine.arguments[2])
{
  do {
    try Respondent.answer(perspective)
    exit(0)
  } catch {
    say("\(error)")
    exit(2)
  }
}
// A child that ended is an error, and its last words say more.
signal(SIGPIPE, SIG_IGN)
do {
  let options = try Options(CommandLine.arguments.dropFirst())
  if let reason = NetworkNamespace.unavailable {
    say("not tried: \(reason)")
    exit(77)
  }
  for part in options.parts where try !walk(part) { exit(1) }
} catch let mistake as Options.Mistake {
  FileHandle.standardError.write(Data("error: \(mistake.text)\n\n\(Options.usage)\n".utf8))
  exit(2)
} catch {
  FileHandle.standardError.write(Data("error: \(error)\n".utf8))
  exit(2)
}
#endif
