// SPDX-License-Identifier: Apache-2.0
/// The two searches for the greatest packet, with UDP datagrams and with echo requests, and what they show together.
///
/// A host answers a datagram with a small packet, so datagrams test the path there. The answer to an echo request is as
/// large as the request, which tests both directions. Linux limits the rate of the former answers, to six and then one a
/// second, so datagrams search for the size only if echo requests do not.
///
/// Pure: the caller sends, and says what was answered, and when.
struct PacketSizeSurvey: Sendable {
  /// One of the searches, with the time of its group.
  struct Lane: Sendable {
    var search: PacketSizeSearch
    /// Whether this machine sends the packets.
    var isPermitted = true
    /// When the running group ends; `nil` between groups.
    fileprivate(set) var deadline: Duration?
    fileprivate var start: Duration = .zero
    fileprivate var isFinished = false
  }

  enum Kind: CaseIterable, Sendable {
    /// UDP datagrams, which a host answers with an ICMP message of its own if no program has the port.
    case datagrams
    /// ICMP echo requests, which a host answers with packets of the same size.
    case echoes
  }

  private(set) var datagrams: Lane
  private(set) var echoes: Lane
  private(set) var report: PacketSizeFinding.Report?
  /// The greatest fragment of the answer to a full packet.
  private(set) var fragment: Int?
  private let family: ReachabilityAddress.Family
  private let wait: Duration

  /// The highest number of packets in all.
  static var packetLimit: Int { 40 }
  /// The sizes to try at once: few where answers are limited.
  private static func width(of kind: Kind) -> Int { kind == .echoes ? 5 : 1 }
  /// The least time that other answers of a group get after its small packet was answered.
  private static var grace: Duration { .milliseconds(20) }
  private static var longestWait: Duration { .milliseconds(500) }

  init(full: Int, family: ReachabilityAddress.Family, roundTrip: Duration) {
    self.family = family
    // Each IPv6 link carries 1,280 bytes (RFC 8200, section 5), each IPv4 host receives 576 (RFC 791, section 3.1). Firewalls
    // that drop large echo requests drop those above about 1,024 bytes. Each group takes one of the limited answers to datagrams.
    datagrams = Lane(
      search: PacketSizeSearch(full: full, least: family == .v4 ? 576 : 1280, accusingGroups: 4))
    echoes = Lane(search: PacketSizeSearch(full: full, least: 1280, accusingGroups: 5))
    wait = min(roundTrip * 3 + .milliseconds(50), Self.longestWait)
  }

  subscript(kind: Kind) -> Lane {
    get { kind == .datagrams ? datagrams : echoes }
    set { if kind == .datagrams { datagrams = newValue } else { echoes = newValue } }
  }

  /// When the next group ends; `nil` if none is running.
  var nextDeadline: Duration? { [datagrams.deadline, echoes.deadline].compactMap(\.self).min() }

  var isFinished: Bool { datagrams.isFinished && echoes.isFinished }

  private var sentCount: Int { datagrams.search.sentCount + echoes.search.sentCount }

  /// Starts the next group of a search, unless one is running.
  mutating func nextGroup(_ kind: Kind, at now: Duration) -> [PacketSizeSearch.Packet] {
    guard self[kind].deadline == nil, !self[kind].isFinished else { return [] }
    let group =
      isDecided(without: kind) || !self[kind].isPermitted
      ? []
      : self[kind].search.nextGroup(width: width(of: kind), atMost: Self.packetLimit - sentCount)
    guard !group.isEmpty else {
      self[kind].isFinished = true
      return []
    }
    self[kind].start = now
    // After silence, a limit on answers gets time for the next one.
    let isTelling = self[kind].search.isTelling
    let factor = isTelling ? 1 << self[kind].search.silentGroups : 1
    self[kind].deadline = now + min(wait * factor, max(Self.longestWait, wait))
    return group
  }

  private func width(of kind: Kind) -> Int {
    kind == .datagrams && echoes.search.isTelling ? 0 : Self.width(of: kind)
  }

  /// Whether the other search makes this one unnecessary.
  private func isDecided(without kind: Kind) -> Bool {
    switch kind {
    case .datagrams: echoes.search.result == .passed
    // An echo request that is not answered soon after a full datagram will not be.
    case .echoes:
      datagrams.search.result == .passed && echoes.search.silentGroups > 0 && !echoes.search.isTelling
    }
  }

  /// Records a report about a packet.
  mutating func record(
    _ number: Int, _ kind: Kind, tooBig mtu: Int, reporter: ReachabilityAddress?
  ) {
    self[kind].search.recordTooBig(number, mtu: mtu)
    let full = self[kind].search.full
    report = PacketSizeFinding.Report(mtu: full, reporter: reporter)
    // The kernel remembers it for all packets.
    for kind in Kind.allCases { self[kind].search.lowerFull(to: full) }
    endGroupIfComplete(kind)
  }

  /// Records an answer to a packet.
  mutating func record(_ number: Int, _ kind: Kind, fragment: Int? = nil, at now: Duration) {
    let before = self[kind].search.passing
    self[kind].search.recordAnswer(to: number)
    if self[kind].search.passing != before { self.fragment = fragment }
    endGroupIfComplete(kind)
    // What was sent before the small packet is answered about when that is.
    for kind in Kind.allCases {
      guard let deadline = self[kind].deadline, self.hasAnswer(kind) else { continue }
      let elapsed = now - self[kind].start
      self[kind].deadline = min(deadline, now + max(elapsed / 2, Self.grace))
    }
  }

  /// Whether the last packet of the running group was answered, or, of the first group, that of the other search.
  private func hasAnswer(_ kind: Kind) -> Bool {
    let other = kind == .datagrams ? echoes : datagrams
    return !self[kind].search.pending.contains { $0.size == PacketSizeSearch.small }
      || (!self[kind].search.isTelling && other.search.result == .passed)
  }

  private mutating func endGroupIfComplete(_ kind: Kind) {
    guard self[kind].deadline != nil, self[kind].search.pending.isEmpty else { return }
    self[kind].search.endGroup()
    self[kind].deadline = nil
  }

  /// Ends the groups whose time is over, which this machine does not send, or which are not needed.
  mutating func endGroups(at now: Duration) {
    for kind in Kind.allCases {
      guard let deadline = self[kind].deadline,
        deadline <= now || !self[kind].isPermitted || isDecided(without: kind)
      else { continue }
      self[kind].search.endGroup()
      self[kind].deadline = nil
    }
  }

  // MARK: Conclusions

  /// What both searches show.
  var outcome: PacketSizeFinding.Outcome {
    let (there, both) = (datagrams.search.result, echoes.search.result)
    if both == .passed { return .passed(echoes.search.full, isBackTested: true) }
    if case .lost(let from, let passing) = both {
      let direction: PacketSizeFinding.Direction =
        there == .passed ? .back : datagrams.search.isFullLost ? .there : .either
      return .lost(from: from, passing: passing, direction)
    }
    if there == .passed { return .passed(datagrams.search.full, isBackTested: false) }
    if case .lost(let from, let passing) = there { return .lost(from: from, passing: passing, .there) }
    let passing = max(datagrams.search.passing ?? 0, echoes.search.passing ?? 0)
    if there == .filtered || both == .filtered { return .unknown(.filtered) }
    if there == .undecided || both == .undecided {
      return .unknown(.undecided(passing: passing > 0 ? passing : nil))
    }
    if !datagrams.isPermitted, !echoes.isPermitted { return .unknown(.notSent) }
    return .unknown(.silent(mayEcho: echoes.isPermitted))
  }
}
