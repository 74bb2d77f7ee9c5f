import CRaw
import Dispatch
import Glibc
import ReachabilityKit
import Synchronization

/// How many look-ups there had been, if they are counted, when an observer was told last.
private let lookUpsWhenTold = Atomic(0)

/// Observers of very many addresses, and of one whose route is another one whenever the link `v1` is down.
private final class WatchedLink {
  let crowd: Crowd
  private let told = Tally()
  private var observation: ReachabilityObservation?
  private let changer = raw_open_changer()
  /// How many look-ups there were, if they were counted, when the last change was told.
  private(set) var lookUps = 0

  init(targets: Int) {
    crowd = Crowd(of: targets)
    observation = crowd.monitor.observe(target("10.2.0.5"), on: DispatchQueue(label: "link")) { [told] _ in
      told.add()
      lookUpsWhenTold.store(raw_counted_lookups(), ordering: .relaxed)
    }
    wait(for: "the first status") { [told] in told.count > 0 }
  }

  deinit { close(changer) }

  /// Takes the link down, after which every target is asked about; returns how long that took.
  ///
  /// The one whose route changes is told when all are asked about.
  func takeDown(meanwhile: () -> Void = {}) -> Int64 {
    let (before, told) = (told.count, told)
    let sent = raw_set_link(changer, "v1", 0)
    let deadline = sent + 60_000_000_000
    while told.count == before, raw_now() < deadline { meanwhile() }
    if told.count == before { fail("nothing was told of a link that went down") }
    lookUps = lookUpsWhenTold.load(ordering: .relaxed)
    defer {
      _ = raw_set_link(changer, "v1", 1)
      wait(for: "the link to be up") { told.count > before + 1 }
      // The link says several times that it comes up.
      usleep(150_000)
    }
    return told.time - sent
  }
}

extension Row {
  static let reask = Row(
    name: "reask",
    summary: "a link goes down: from the change until 10,000 watched addresses are asked about again"
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
            // And one more, since ours has one more.
            return [raw_reask("v1", Address.first, count + 1)]
          }
        },
      ])
    // Whoever tells too early looks fast.
    raw_count_lookups(1)
    _ = network.inside { watched.takeDown { usleep(20) } }
    raw_count_lookups(0)
    let child = network.inside { Child(.reaskMemory, [String(count)]) }
    _ = child.numbers()
    let peaks = (0..<bench.amount(9, quick: 3)).map { _ in Double(child.ask()[0]) / 1024 }
    child.stop()
    return [
      Line("link down, 10,000 addresses asked again", .milliseconds, series[0], series[1], goal: 1.25),
      Line("look-ups until then", .count, Double(watched.lookUps)),
      Line(
        "most memory it takes meanwhile", .kibibytes, median(peaks), goal: 64,
        remark: "what malloc has handed out, looked at all the time (mallinfo2)"),
    ]
  }
}

extension Child {
  static func playReaskMemory(_ count: Int) {
    let watched = WatchedLink(targets: count)
    // Once for what is kept from then on.
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
