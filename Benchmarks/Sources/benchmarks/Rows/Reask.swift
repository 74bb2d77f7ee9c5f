// SPDX-License-Identifier: Apache-2.0
import CRaw
import Dispatch
import Glibc
import ReachabilityKit
import Synchronization

/// The number of counted lookups at the last event.
private let lookupsAtEvent = Atomic(0)

/// Observers of many addresses, and of one whose route changes when the link `v1` goes down.
private final class WatchedLink {
  let crowd: Crowd
  private let events = Tally()
  private var observation: ReachabilityObservation?
  private let changer = raw_open_changer()
  /// The number of counted lookups at the last change.
  private(set) var lookups = 0

  init(targets: Int) {
    crowd = Crowd(of: targets)
    observation = crowd.monitor.observe(target("10.2.0.5"), on: DispatchQueue(label: "link")) { [events] _ in
      events.add()
      lookupsAtEvent.store(raw_counted_lookups(), ordering: .relaxed)
    }
    wait(for: "the first status") { [events] in events.count > 0 }
  }

  deinit { close(changer) }

  /// Takes the link down, after which every target is queried; returns the time.
  ///
  /// The target whose route changes is delivered after all are queried.
  func takeDown(meanwhile: () -> Void = {}) -> Int64 {
    let (before, events) = (events.count, events)
    let sent = raw_set_link(changer, "v1", 0)
    let deadline = sent + 60_000_000_000
    while events.count == before, raw_now() < deadline { meanwhile() }
    if events.count == before { fail("no event after a link went down") }
    lookups = lookupsAtEvent.load(ordering: .relaxed)
    defer {
      _ = raw_set_link(changer, "v1", 1)
      wait(for: "the link to be up") { events.count > before + 1 }
      // The kernel announces link up several times.
      usleep(150_000)
    }
    return events.time - sent
  }
}

extension Row {
  static let reask = Row(
    name: "reask",
    summary: "a link goes down: from the change until 10,000 observed addresses are queried again"
  ) { bench in
    let count = 10_000
    let network = Network()
    let watched = network.inside { WatchedLink(targets: count) }
    let other = Network()
    let series = bench.contest(
      rounds: bench.amount(21, quick: 3),
      [
        { network.inside { [watched.takeDown { usleep(20) }] } },
        {
          other.inside {
            defer { usleep(50_000) }
            // One more, since the library also has one more.
            return [raw_reask("v1", Address.first, count + 1)]
          }
        },
      ])
    // An event that precedes the queries would look fast.
    raw_count_lookups(1)
    _ = network.inside { watched.takeDown { usleep(20) } }
    raw_count_lookups(0)
    let child = network.inside { Child(.reaskMemory, [String(count)]) }
    _ = child.numbers()
    let peaks = (0..<bench.amount(9, quick: 3)).map { _ in Double(child.ask()[0]) / 1024 }
    child.stop()
    return [
      Line("link down, 10,000 addresses queried again", .milliseconds, series[0], series[1], goal: 1.25),
      Line("lookups until then", .count, Double(watched.lookups)),
      Line(
        "peak of additional memory", .kibibytes, median(peaks), goal: 64,
        remark: "bytes allocated by malloc, sampled constantly (mallinfo2)"),
    ]
  }
}

extension Child {
  static func playReaskMemory(_ count: Int) {
    let watched = WatchedLink(targets: count)
    // Once for permanent allocations.
    _ = watched.takeDown { usleep(20) }
    tell(0)
    while true {
      waitForQuestion()
      let before = raw_allocated()
      var peak = before
      _ = watched.takeDown { peak = max(peak, raw_allocated()) }
      tell(Int64(peak - before))
    }
  }
}
