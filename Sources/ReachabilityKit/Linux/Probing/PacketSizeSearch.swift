// SPDX-License-Identifier: Apache-2.0
/// The search for the greatest packet that passes, over packets of one kind.
///
/// Packets are sent in groups: some sizes at once, the greatest first, and a small packet last. A size was lost in a group
/// only if the small packet of the same group was answered. So neither silence nor a limit on the rate of answers,
/// which the first packets of a group use up, is taken for a size that does not pass.
///
/// Pure: the caller sends, and says what was answered. Sizes are those of IP packets in bytes, with their headers.
struct PacketSizeSearch: Sendable {
  struct Packet: Equatable, Sendable {
    /// The number of the packet, which increases by one.
    var number: Int
    var size: Int
  }

  private struct Loss: Sendable {
    var size: Int
    /// The number of the group.
    var group: Int
  }

  enum Result: Equatable, Sendable {
    /// No small packet was answered.
    case silent
    /// Not decided: too few packets were answered, or were allowed.
    case undecided
    /// Packets of full size pass.
    case passed
    /// Packets of the lower size pass; those of the upper one do not, and so do none that are greater.
    case lost(from: Int, passing: Int)
    /// Small packets pass, but none of a size that every path carries, so the size of the path is not the reason.
    case filtered
  }

  /// The size of a packet that passes any path.
  static var small: Int { 64 }
  /// The MTUs of common links and tunnels, in descending order.
  static let knownSizes = [9000, 1500, 1492, 1480, 1460, 1454, 1420, 1412, 1400, 1380, 1280]
  /// The number of losses after which a size does not pass.
  static var lossLimit: Int { 3 }
  /// The number of losses after which the full size does not pass, which accuses the path.
  static var accusationLimit: Int { 8 }
  /// The number of groups in a row without an answer that end the search.
  private static var silenceLimit: Int { 3 }
  /// That number after an earlier answer, for which a limit of the rate is likely, and passes.
  private static var silenceLimitAfterAnswer: Int { 6 }

  /// The greatest size that matters; a router that reports a smaller MTU lowers it.
  private(set) var full: Int
  /// The least size that every path carries.
  private let least: Int
  /// The number of groups in which the full size has to be lost before it accuses the path.
  private let accusingGroups: Int
  /// The greatest size that was answered, except for small packets.
  private(set) var passing: Int?
  /// Whether a small packet was answered.
  private(set) var isTelling = false
  /// The number of groups since the last one whose small packet was answered.
  private(set) var silentGroups = 0
  private(set) var sentCount = 0
  /// The losses of sizes that are greater than ``passing``.
  private var losses: [Loss] = []
  /// The number of groups that have ended.
  private var groupCount = 0
  private var sizes: [Int] = []
  /// The packets of the running group without an answer.
  private(set) var pending: [Packet] = []

  /// - Parameters:
  ///   - full: The greatest size that matters.
  ///   - least: The size that every path carries, which does not count if it is greater.
  ///   - accusingGroups: The number of groups in which the full size has to be lost before it accuses the path: the packets of
  ///     one group may be lost or late together, where a queue overflows or a machine is busy.
  init(full: Int, least: Int, accusingGroups: Int) {
    self.full = full
    self.accusingGroups = accusingGroups
    self.least = min(least, full)
  }

  // MARK: Groups

  /// Starts the next group.
  ///
  /// - Parameters:
  ///   - width: The number of sizes to try below one that was lost; 0 to try the full size only.
  ///   - count: The highest number of packets.
  /// - Returns: The packets to send, in this order; none at the end of the search.
  mutating func nextGroup(width: Int, atMost count: Int = .max) -> [Packet] {
    guard count >= 2, !isFinished(width: width) else { return [] }
    var group: [Int]
    if let suspect, width > 0 {
      let accusations = missingAccusations
      // Without an answer, the next one is spent on what matters most.
      group = silentGroups > 0 && accusations > 0 ? [] : candidates(below: suspect, width)
      // What is lost uses up no answers: where these are limited, few groups have to suffice.
      let missing = max(Self.lossLimit - losses(upTo: suspect), 0)
      group += Array(repeating: suspect, count: width > 1 ? min(missing, 1) : missing)
      if group.isEmpty {
        group = Array(repeating: full, count: accusations)
      } else if accusations > 0, !group.contains(full) {
        group += Array(repeating: full, count: width > 1 ? 1 : min(accusations, 2))
      }
    } else {
      group = [full]
    }
    pending = (group.sorted(by: >).prefix(count - 1) + [Self.small]).map { size in
      defer { sizes.append(size) }
      return Packet(number: sizes.count, size: size)
    }
    sentCount += pending.count
    return pending
  }

  /// Records the answer to a packet of any group.
  mutating func recordAnswer(to number: Int) {
    let size = sizes[number]
    pending.removeAll { $0.number == number }
    guard size > Self.small else {
      isTelling = true
      return
    }
    guard size > passing ?? 0 else { return }
    passing = size
    losses.removeAll { $0.size <= size }
  }

  /// Records that a router or this machine reports a packet as too big, which is an answer, but not of the other end.
  ///
  /// - Parameter mtu: The reported MTU; 0 if the reporter does not know it.
  mutating func recordTooBig(_ number: Int, mtu: Int) {
    let size = sizes[number]
    pending.removeAll { $0.number == number }
    guard size <= full, size > passing ?? 0 else { return }
    let next = Self.knownSizes.first { $0 < size } ?? least
    lowerFull(to: max(mtu > 0 && mtu < size ? mtu : next, least))
  }

  /// Lowers the greatest size that matters, since the kernel sends no greater packets on this path.
  mutating func lowerFull(to size: Int) {
    guard size < full else { return }
    full = size
    losses.removeAll { $0.size > full }
  }

  /// Ends the running group: what was not answered until now is lost, if the small packet was answered.
  mutating func endGroup() {
    if pending.contains(where: { $0.size == Self.small }) {
      silentGroups += 1
    } else {
      silentGroups = 0
      for packet in pending where packet.size > passing ?? 0 && packet.size <= full {
        losses.append(Loss(size: packet.size, group: groupCount))
      }
    }
    pending = []
    groupCount += 1
  }

  // MARK: Conclusions

  /// The least size that was lost.
  private var suspect: Int? { losses.lazy.map(\.size).min() }

  /// The number of losses of this size and of smaller ones: if it passed, these had passed too.
  private func losses(upTo size: Int) -> Int {
    losses.count { $0.size <= size }
  }

  /// The number of packets of full size that have to be lost yet before the path is accused, one at least in each group.
  private var missingAccusations: Int {
    let groups = Set(losses.lazy.map(\.group)).count
    return max(Self.accusationLimit - losses.count, groups < accusingGroups ? 1 : 0)
  }

  /// The least size that does not pass.
  private var leastLost: Int? {
    losses.map(\.size).sorted().first { losses(upTo: $0) >= Self.lossLimit }
  }

  /// The least size that may be the limit of the path.
  private var floor: Int { max((passing ?? 0) + 1, least) }

  private func isFinished(width: Int) -> Bool {
    let limit = isTelling && width > 0 ? Self.silenceLimitAfterAnswer : Self.silenceLimit
    if passing ?? 0 >= full || silentGroups >= limit { return true }
    guard let suspect else { return false }
    if width == 0 { return losses(upTo: full) >= Self.lossLimit }
    return suspect <= floor && losses(upTo: suspect) >= Self.lossLimit
      && missingAccusations == 0
  }

  /// What the packets show so far.
  var result: Result {
    if let passing, passing >= full { return .passed }
    guard isTelling || passing != nil else { return .silent }
    guard let leastLost else { return .undecided }
    if leastLost <= least { return .filtered }
    guard let passing, missingAccusations == 0 else { return .undecided }
    return .lost(from: leastLost, passing: passing)
  }

  /// Whether the full size does not pass, although small packets do.
  var isFullLost: Bool { losses(upTo: full) >= Self.lossLimit }

  /// Returns up to `width` sizes that may pass, below one that was lost: known ones as long as there are any.
  private func candidates(below suspect: Int, _ width: Int) -> [Int] {
    guard floor < suspect else { return [] }
    var known = Self.knownSizes.filter { floor <= $0 && $0 < suspect }
    if passing == nil, !known.contains(floor) { known.append(floor) }
    if !known.isEmpty {
      guard known.count > width else { return known }
      return (1...width).map { known[$0 * known.count / (width + 1)] }
    }
    // Most limits are known sizes, so the next greater one is tried in any case.
    let rest = suspect - floor
    let between = (1..<max(width, 2)).map { floor + $0 * rest / max(width, 2) }
    return Array(Set([floor] + between.filter { $0 > floor })).sorted(by: >).suffix(max(width, 1))
  }
}
