// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import LiveSupport

/// What happens in a world for some seconds; all of it follows from the seed.
struct Scenario {
  /// The condition that a scenario is about; others may be mixed in.
  enum Kind: String, CaseIterable {
    case healthy, slow, delayJump = "delay jump", loss, closedWindow = "closed window", idle
    case halfClosed = "half-closed", short = "short connections", dead = "dead peer", storm, local =
      "loopback"
    case cutAll = "cut: all", cutPeer = "cut: a peer", cutUp = "cut: to servers", cutDown =
      "cut: to the client"
    case blackHole = "MTU black hole"
    case failover
    case droppedHere = "dropped here"

    var isCut: Bool { [.cutAll, .cutPeer, .cutUp, .cutDown].contains(self) }
  }

  /// What a connection does.
  enum Behaviour: Equatable {
    /// Requests and replies of some bytes, at random intervals around one in milliseconds.
    case exchange(interval: Int, request: Int, reply: Int, thinking: Int)
    case upload(interval: Int, bytes: Int)
    case download(interval: Int, bytes: Int)
    /// Writes to a server that never reads.
    case deafServer
    /// One exchange, then nothing but keep-alive probes, if any.
    case idle(keepsAlive: Bool)
    /// Ends its direction, and receives a stream.
    case halfClosedByClient
    /// Uploads to a server that ended its direction.
    case halfClosedByServer(interval: Int)
    /// One exchange for each connection.
    case short(interval: Int)
    /// Connects to an address that never answers.
    case dead
    /// A server that accepts some connections of many, and the others later.
    case storm(count: Int, backlog: Int, acceptance: Int)
    /// Connections in the client's own namespace, to the loopback address or its own.
    case local(isLoopback: Bool, isDeaf: Bool)
  }

  struct Connection {
    var slot: Int
    var behaviour: Behaviour
    /// Milliseconds after the beginning.
    var start: Int
  }

  /// What changes, in milliseconds after the beginning.
  struct Change {
    var time: Int
    var rules: [Int: Rule]
    var beginsCut = false
    var endsCut = false
    var failsOver = false
    var dropsHere = false
  }

  let seed: UInt64
  let kind: Kind
  var rules: [Int: Rule] = [:]
  var connections: [Connection] = []
  var changes: [Change] = []
  /// The peers that are cut or behind a black hole.
  var affected: Set<Int> = []
  /// The peers that never answer.
  var deadPeers: Set<Int> = []
  /// The greatest round-trip time in milliseconds after a sudden change.
  var jump = 0
  /// The greatest loss.
  var loss = 0.0
  /// In milliseconds.
  var length: Int
  var questions: [Desk.Question] = [.defaultRoute]

  private static let weights: [(Int, Kind)] = [
    (10, .healthy), (7, .slow), (7, .delayJump), (12, .loss), (6, .closedWindow), (5, .idle),
    (5, .halfClosed),
    (4, .short), (7, .dead), (4, .storm), (3, .local), (9, .cutAll), (8, .cutPeer), (5, .cutUp),
    (5, .cutDown),
    (5, .blackHole), (5, .failover), (5, .droppedHere),
  ]

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed &* 0x2545_f491_4f6c_dd1d)
    self.seed = seed
    kind = random.pick(weighted: Self.weights)
    length = random.number(3600..<5000)
    addPeers(&random)
    addConditions(&random)
    addCut(&random)
    addFailover(&random)
    addLocalDrop(&random)
    addQuestions(&random)
  }

  private var livePeers: [Int] { rules.keys.filter { !deadPeers.contains($0) }.sorted() }

  private mutating func addPeers(_ random: inout SeededGenerator) {
    let count = random.number(1..<6)
    let numbers = (1..<24).shuffled(using: &random).prefix(count)
    let delays = random.pick(weighted: [(4, 0..<4), (4, 10..<40), (2, 60..<150)])
    for number in numbers {
      let peer = Peer(isIPv6: random.percent(30), isOnLink: random.percent(30), number: number)
      var rule = Rule()
      rule.delay = Int64(random.number(delays)) * 1_000_000
      rules[peer.slot] = rule
      guard kind != .idle || random.percent(20) else {
        add(.idle(keepsAlive: random.percent(70)), to: peer.slot, &random)
        continue
      }
      for _ in 0..<random.number(1..<4) { add(usualBehaviour(&random), to: peer.slot, &random) }
    }
  }

  private func usualBehaviour(_ random: inout SeededGenerator) -> Behaviour {
    switch random.below(10) {
    case 0..<6:
      .exchange(
        interval: random.pick([50, 100, 200, 400, 900]), request: random.pick([20, 200, 600, 3000]),
        reply: random.pick([10, 300, 1400, 6000]), thinking: random.percent(15) ? random.number(1..<2000) : 0)
    case 6: .upload(interval: random.number(100..<500), bytes: random.number(1000..<12000))
    case 7: .download(interval: random.number(100..<800), bytes: random.number(1000..<40000))
    case 8: .idle(keepsAlive: random.percent(50))
    default: .short(interval: random.number(100..<600))
    }
  }

  private mutating func add(_ behaviour: Behaviour, to slot: Int, _ random: inout SeededGenerator) {
    connections.append(Connection(slot: slot, behaviour: behaviour, start: random.number(0..<400)))
  }

  private mutating func addConditions(_ random: inout SeededGenerator) {
    if kind == .loss || random.percent(12) {
      let most = random.number(10..<101)
      loss = Double(most) / 1000
      let isEqual = kind == .loss && random.percent(40)
      for slot in rules.keys.sorted() {
        rules[slot]?.lossUp = isEqual ? loss : Double(random.number(0..<most + 1)) / 1000
        rules[slot]?.lossDown = isEqual ? loss : Double(random.number(0..<most + 1)) / 1000
      }
    }
    if kind == .slow || random.percent(8) {
      for slot in rules.keys.sorted() where random.percent(60) {
        rules[slot]?.delay = Int64(random.number(150..<1000)) * 1_000_000
      }
    }
    if kind == .delayJump { addJump(&random) }
    if kind == .closedWindow || random.percent(10) {
      for _ in 0..<random.number(1..<3) { add(.deafServer, to: random.pick(livePeers), &random) }
    }
    if kind == .halfClosed || random.percent(8) {
      for _ in 0..<random.number(1..<3) {
        let byClient = random.percent(50)
        add(
          byClient ? .halfClosedByClient : .halfClosedByServer(interval: random.number(100..<600)),
          to: random.pick(livePeers), &random)
      }
    }
    if kind == .short {
      for slot in livePeers { add(.short(interval: random.number(50..<300)), to: slot, &random) }
    }
    if kind == .dead || random.percent(10) {
      for number in 24..<24 + random.number(1..<4) {
        let peer = Peer(isIPv6: random.percent(30), isOnLink: random.percent(30), number: number)
        var rule = Rule()
        rule.dropsUp = true
        rules[peer.slot] = rule
        deadPeers.insert(peer.slot)
        for _ in 0..<random.number(1..<4) { add(.dead, to: peer.slot, &random) }
      }
    }
    if kind == .storm {
      add(
        .storm(
          count: random.number(5..<40), backlog: random.number(0..<6), acceptance: random.number(200..<3000)),
        to: random.pick(livePeers), &random)
    }
    if kind == .local || random.percent(10) {
      for _ in 0..<random.number(1..<3) {
        add(.local(isLoopback: random.percent(50), isDeaf: random.percent(30)), to: livePeers[0], &random)
      }
    }
  }

  private mutating func addJump(_ random: inout SeededGenerator) {
    let roundTrip = random.number(100..<2001)
    let slots = random.percent(50) ? livePeers : [random.pick(livePeers)]
    var change = Change(time: random.number(700..<2200), rules: [:])
    var restored = Change(time: change.time + random.number(800..<2500), rules: [:])
    for slot in slots {
      guard var rule = rules[slot] else { continue }
      restored.rules[slot] = rule
      rule.delay = max(rule.delay, Int64(roundTrip) * 500_000)
      change.rules[slot] = rule
    }
    jump = roundTrip
    changes.append(change)
    if random.percent(50) { changes.append(restored) }
  }

  private mutating func addCut(_ random: inout SeededGenerator) {
    guard kind.isCut || kind == .blackHole else { return }
    let slots = kind == .cutPeer || kind == .blackHole ? [random.pick(livePeers)] : livePeers
    affected = Set(slots)
    // Some traffic that a cut interrupts.
    for slot in slots where random.percent(85) {
      add(
        kind == .blackHole
          ? .upload(interval: random.number(100..<400), bytes: random.number(4000..<12000))
          : .exchange(
            interval: random.number(50..<400), request: random.number(10..<2000),
            reply: random.number(10..<2000),
            thinking: 0),
        to: slot, &random)
    }
    var begin = Change(time: random.number(900..<2200), rules: [:], beginsCut: true)
    var end = Change(time: begin.time + random.number(1000..<4500), rules: [:], endsCut: true)
    // A change of delay does not undo a cut.
    let limit = random.number(600..<1400)
    for slot in slots {
      guard var rule = rules[slot] else { continue }
      end.rules[slot] = rule
      switch kind {
      case .cutUp: rule.dropsUp = true
      case .cutDown: rule.dropsDown = true
      case .blackHole: rule.limit = limit
      default: (rule.dropsUp, rule.dropsDown) = (true, true)
      }
      begin.rules[slot] = rule
    }
    changes.append(begin)
    let heals = random.percent(50)
    if heals { changes.append(end) }
    length = heals ? end.time + random.number(1500..<3000) : begin.time + random.number(2800..<4500)
  }

  /// Moves the default routes while connections are open.
  private mutating func addFailover(_ random: inout SeededGenerator) {
    guard kind == .failover else { return }
    let slots = livePeers.filter { !Peer(slot: $0).isOnLink }
    for slot in slots {
      add(
        .exchange(interval: random.number(50..<400), request: 100, reply: 100, thinking: 0), to: slot, &random
      )
    }
    let change = Change(time: random.number(900..<2200), rules: [:], failsOver: true)
    changes.append(change)
    // Nothing answers new connections, which are no stall yet after this time.
    length = change.time + 2800
  }

  /// Lets the client's machine drop what it sends.
  private mutating func addLocalDrop(_ random: inout SeededGenerator) {
    guard kind == .droppedHere else { return }
    for slot in livePeers {
      add(
        .exchange(interval: random.number(50..<400), request: 100, reply: 100, thinking: 0), to: slot, &random
      )
    }
    let change = Change(time: random.number(900..<2200), rules: [:], dropsHere: true)
    changes.append(change)
    length = change.time + random.number(2800..<4500)
  }

  private mutating func addQuestions(_ random: inout SeededGenerator) {
    var slots = affected.sorted().shuffled(using: &random).prefix(1) + []
    slots += rules.keys.filter { !slots.contains($0) }.sorted().shuffled(using: &random).prefix(
      3 - slots.count)
    questions += slots.map { .peer($0) }
    questions.append(.interface(random.pick([nil, .v4, .v6])))
  }

  /// The conditions in a few words.
  var summary: String {
    var words = ["\(rules.count - deadPeers.count) peers"]
    if !deadPeers.isEmpty { words.append("\(deadPeers.count) dead") }
    if loss > 0 { words.append("loss up to \(Int((loss * 100).rounded(.up))) %") }
    if jump > 0 { words.append("round trip jumps to \(jump) ms") }
    let slowest = rules.values.map { $0.delay / 500_000 }.max() ?? 0
    words.append("slowest round trip \(slowest) ms")
    return "\(kind.rawValue) (\(words.joined(separator: ", ")))"
  }
}
