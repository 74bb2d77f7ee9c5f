// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink
import POSIX

/// Finds out, at little cost, whether IPsec policies may block packets of the statuses that are evaluated.
///
/// Where changes of policies are announced, the kernel's list decides. Elsewhere some of the reachable statuses of each
/// evaluation are tried, and where there are more, the counter of blocked packets tells whether all have to be.
struct PolicyWatch: ~Copyable, Sendable {
  /// Starts threads in the network namespace; `nil` where nothing can be tried.
  private let threads: ThreadStarter?
  private var announcements: PolicyAnnouncements?
  private var statistics: PolicyStatistics?
  private var hasOpenedStatistics = false
  /// The counter after the last evaluation that tried all statuses and found none blocked.
  private var quietCount: UInt64 = 0

  /// The last question that was tried and passed, and the moment until which that counts.
  private var passed: (question: RouteRequest, until: Moment)?

  /// The number of statuses that are tried in each evaluation.
  static var trials: Int { 8 }
  /// The time for which a trial counts: queries in rapid succession share one, which takes as long as a lookup.
  static var trialInterval: Duration { .milliseconds(1) }

  init(threads: ThreadStarter?) { self.threads = threads }

  /// The descriptor that has input once a policy changes; `nil` where changes are not announced.
  private(set) var descriptor: CInt?
  var isAnnounced: Bool { descriptor != nil }

  /// Begins to listen where that is permitted; to be called while no changes are announced.
  mutating func listen() {
    guard let transport = inNetwork(PolicyAnnouncements.transport) ?? nil else { return }
    announcements = try? PolicyAnnouncements(over: transport)
    descriptor = announcements?.descriptor
  }

  mutating func stop() {
    announcements = nil
    descriptor = nil
  }

  /// Reads all waiting announcements; returns whether there were any, or there will be no more.
  mutating func readChange() -> Bool {
    do throws(Errno) {
      return try announcements?.take() == true
    } catch {
      // Not closed, since the descriptor may be another's by now.
      descriptor = nil
      return true
    }
  }

  /// What the kernel's list of policies tells; `nil` if it tells nothing.
  mutating func knowledge() -> PolicyKnowledge? {
    guard isAnnounced, let hasBlocks = announcements?.hasBlocks() else { return nil }
    return hasBlocks ? .announced : PolicyKnowledge.none
  }

  /// Returns the counters, or `nil` if the kernel has none.
  mutating func counts() -> PolicyStatistics.Counts? {
    if !hasOpenedStatistics {
      hasOpenedStatistics = true
      statistics = inNetwork { PolicyStatistics() } ?? nil
    }
    return statistics?.counts()
  }

  /// Whether a policy has blocked packets since all statuses were tried the last time.
  mutating func hasNewBlocks() -> Bool { (counts()?.blocked ?? 0) > quietCount }

  /// Whether no policy blocked the packets a moment ago.
  func hasJustPassed(_ question: RouteRequest) -> Bool {
    guard let passed, passed.question == question else { return false }
    return Moment.now < passed.until
  }

  /// Notes that no policy blocks the packets.
  mutating func recordPassed(_ question: RouteRequest) {
    passed = (question, Moment.now.advanced(by: Self.trialInterval))
  }

  /// Notes that all statuses were tried, and none is blocked.
  mutating func recordQuiet() { quietCount = counts()?.blocked ?? 0 }

  /// Lists the policies for outgoing packets in the order of their search; `nil` where that is not permitted.
  func policies() -> [PolicyMessage]? {
    guard let transport = inNetwork(PolicyAnnouncements.transport) ?? nil else { return nil }
    var client = PolicyClient(over: transport)
    return try? client.outgoing()
  }

  /// Runs a closure on a thread in the network namespace.
  private func inNetwork<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value? {
    guard let threads else { return nil }
    let handover = Handover<Value>()
    do throws(ReachabilityMonitorError) {
      try threads("ipsec") { handover.fulfil(body()) }
    } catch {
      return nil
    }
    return handover.wait()
  }
}

/// The announcements of changed IPsec policies, which take `CAP_NET_ADMIN`.
struct PolicyAnnouncements: ~Copyable, Sendable {
  private let transport: KernelTransport
  private var client: PolicyClient

  /// Joins the group; throws if that is not permitted.
  init(over transport: KernelTransport) throws(Errno) {
    try transport.setMembership(.policies, joined: true)
    self.transport = transport
    client = PolicyClient(over: transport)
  }

  /// Opens a socket in the calling thread's network namespace; returns `nil` where the kernel has no IPsec policies.
  ///
  /// A socket alone would load the kernel's module, so it is opened only where the module is loaded.
  static func transport() -> KernelTransport? {
    guard let sockets = try? SystemFile.contents(of: "/proc/thread-self/net/netlink", upTo: 1 << 16),
      hasKernelSocket(String(decoding: sockets, as: UTF8.self))
    else { return nil }
    return try? KernelTransport(.ipsec)
  }

  /// Whether a list of netlink sockets has the kernel's own one for IPsec: protocol 6, and port 0.
  static func hasKernelSocket(_ list: String) -> Bool {
    list.split(separator: "\n").contains { line in
      let words = line.split(separator: " ")
      return words.count > 2 && words[1] == "6" && words[2] == "0"
    }
  }

  var descriptor: CInt { transport.pollDescriptor }

  /// Reads all waiting announcements; returns whether there were any, or some were lost.
  ///
  /// - Throws: The error of a broken socket, which would end every wait immediately.
  func take() throws(Errno) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 512)
    var hasNews = false
    while true {
      do throws(Errno) {
        // Only the kernel is believed.
        if try transport.receive(into: &buffer, blocking: false).senderPort == 0 { hasNews = true }
      } catch {
        if error == .wouldBlock { return hasNews }
        guard error == .noBufferSpace else { throw error }
        hasNews = true
      }
    }
  }

  /// Returns whether any policy blocks outgoing packets; `nil` if the kernel does not tell.
  mutating func hasBlocks() -> Bool? {
    guard let count = try? client.outgoingCount() else { return nil }
    if count == 0 { return false }
    return (try? client.outgoing()).map { $0.contains(where: \.blocks) }
  }
}
#endif
