// SPDX-License-Identifier: Apache-2.0
// A random walk through networks that compares the library with other sources.
//
// A lab (`Lab`) is a network namespace with a link of every kind that this kernel supports, and two namespaces at the
// far ends of its cables. A generator (`Generator`) chooses steps: routes of every type, rules, next hops, addresses,
// links that go down, lose their carrier, are renamed, moved, removed and recreated, kernel parameters. The same seed
// gives the same steps. Commands that the kernel or `ip` refuses are counted, and expected. After 400 steps follows a
// new lab.
//
// After each step
//
// - the observers of a fixed set of targets must receive what a new query returns, within 3 seconds. Each event must
//   follow from the one before it (`Watchers`);
// - the statuses of ten random targets, with sources, interfaces and marks, are compared with `ip -json route get`,
//   with and without `fibmatch`, translated by the table of meanings (`Oracle`). The library's evaluation takes no part
//   in that;
// - the same statuses are compared with the kernel's result for a socket that is bound and connected accordingly
//   (`Connection`). A socket ignores carriers and gateways, but is the reference for routes, rules, users, ports and
//   sources;
// - where a route has several next hops, and for a share of all others, the statuses are compared with the arrival of
//   packets (`Delivery`): at which far end, from which link and for which gateway, or at a port of this machine.
//
// Some queries run on threads that act for another user. In two of six labs a child is queried (`Respondent`): in one
// it is in a user namespace that maps its user only, in the other its kernel has no IPv6.
//
// The kernel performs or announces some changes with a delay. After a difference both sides are queried again for 3
// seconds, with the library's status taken before and after the other side's. The summary counts delayed agreements.
//
// A disagreement ends the walk. Its steps are reduced to the necessary ones in new labs (`Shrinker`), and printed as a
// shell script.
//
// With --uplinks another walk follows (`UplinkWalk`), in which packets alone judge: what makes the kernel change its mind without
// a change of routes, or keeps packets from leaving in spite of them.
//
// Known limits of the comparison (see `Oracle.needsSocket`, `Oracle.hidesSource` and the two `complaint`s):
//
// - `ip` cannot query IPv6 packets from a source that are bound to an interface; only a socket can. The library does
//   not find routes for some sources either, over an interface that is not the best one for such a source. Nor does it
//   find the source of a TCP socket that has a route for some sources only.
// - Where ports choose one of several next hops, the status may name any that works. Of several IPv4 default routes
//   with one metric the kernel alternates while it knows the routers, so no packets are sent then.
// - A group of IPv6 next hops sends packets by any of them, whatever interface their socket is bound to.
// - The kernel cannot name the IPv6 routes of a next-hop object after one of them was removed, until something else
//   changes, and sends packets by them: the status is unknown then.
// - `lo` with IPv6 disabled delivers no IPv6 packets, and no message of the kernel reports that.
import Foundation
import SearchSupport

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
WalkSearch.main()
