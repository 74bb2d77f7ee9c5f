// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit

/// What a rehearsed change does: to targets, to the path, and to this machine's TCP connections.
public struct RehearsalDifferences: Hashable, Sendable {
  /// The status of a target before the change and after it.
  public struct Target: Hashable, Sendable {
    /// The target.
    public var target: ReachabilityTarget
    /// The status in the real network.
    public var before: ReachabilityStatus
    /// The status in the copy after the change; its state is unknown if the copy cannot tell.
    public var after: ReachabilityStatus
    /// Why the copy cannot tell; `nil` if it can.
    public var doubt: String?

    /// Whether packets left for the target before the change, and do not afterwards; also where its address is this machine's
    /// own then.
    public var isLost: Bool {
      let isOwnNow = after.flags.contains(.isLocalAddress) && !before.flags.contains(.isLocalAddress)
      return before.isReachable && (after.state == .notReachable || isOwnNow)
    }
    /// Whether nothing is different.
    public var isUnchanged: Bool { doubt == nil && before == after }
  }

  /// A TCP connection to another machine.
  public struct Connection: Hashable, Sendable {
    /// What becomes of a connection.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
      /// Its packets take the same path.
      case kept
      /// Its packets leave by another interface or gateway; whether the connection survives is decided by the networks there.
      case moved
      /// Its packets do not leave this machine any more.
      case lost
      /// The copy cannot tell.
      case unknown
    }

    /// The address of this machine.
    public var local: ReachabilityAddress
    /// The port of this machine.
    public var localPort: UInt16
    /// The address of the other machine.
    public var remote: ReachabilityAddress
    /// The port of the other machine.
    public var remotePort: UInt16
    /// The user id of the owner.
    public var user: UInt32
    /// The names of the processes that have it open; empty if they may not be read.
    public var processes: [String]
    /// Whether the user of this process is logged in over it.
    public var isSession: Bool
    /// What becomes of it.
    public var outcome: Outcome
    /// The reason in words, for example `no route`; `nil` for a connection that is kept.
    public var reason: String?
  }

  /// The targets, in the order in which they were given.
  public var targets: [Target] = []
  /// The path in the real network, before the change.
  public var pathBefore: ReachabilityPath
  /// The path in the copy, after the change.
  public var pathAfter: ReachabilityPath
  /// Whether both paths have the same status and the same interfaces.
  public var isPathUnchanged: Bool
  /// Why the copy cannot tell the path; `nil` if it can.
  public var pathDoubt: String?
  /// The connections: that of the user's own session first.
  public var connections: [Connection] = []
  /// Why more may be lost than the rest says, in words, for example that the command left processes running.
  public var caveats: [String] = []
  /// Whether the real network changed since it was copied, so that the answers may be those of a past state.
  public var isOutdated: Bool

  /// Whether the path was satisfied before the change, and is not afterwards.
  public var isPathLost: Bool { pathBefore.status == .satisfied && pathAfter.status != .satisfied }

  /// Whether it is certain that nothing is lost: no target, not the path, and no connection moves, is lost or unknown; and there
  /// are no ``caveats``.
  public var nothingIsLost: Bool {
    !isOutdated && caveats.isEmpty && !isPathLost && pathDoubt == nil
      && !targets.contains { $0.isLost || $0.doubt != nil }
      && !connections.contains { $0.outcome != .kept }
  }
}
