extension MonitorEngine {
  typealias Machine = MonitorStateMachine<EventSink>
  typealias Board = PathBoard<EventSink>

  /// What callers and the engine's thread share.
  struct State {
    enum Life {
      /// No thread runs; the next observer starts one.
      case dormant
      /// A thread runs, or is being started.
      case running
      /// The engine is over; a thread that still runs ends.
      case stopped
    }

    var machine = Machine()
    var board = Board()
    var life = Life.dormant
    var isRefreshWanted = false

    /// Whether there are no observers.
    var isEmpty: Bool { machine.isEmpty && board.isEmpty }

    /// Makes a dormant engine a running one; returns whether the caller must start its thread.
    mutating func claimThread() -> Bool {
      guard life == .dormant else { return false }
      life = .running
      return true
    }

    /// Takes the work of the thread's next turn.
    mutating func takeTurn() -> Turn {
      defer { isRefreshWanted = false }
      let phase: Turn.Phase =
        if life == .stopped {
          .stopped
        } else if isEmpty {
          .idle
        } else {
          .observing(hosts: machine.hasHosts, path: !board.isEmpty)
        }
      return Turn(phase: phase, isRefreshWanted: isRefreshWanted, nameChanges: machine.takeNameChanges())
    }

    /// Takes what a source may know of the observed addresses before it waits; the engine provides their list.
    mutating func takeObservedAddresses(list: @escaping @Sendable () -> [IPAddress]) -> ObservedAddresses {
      let (hasRemovals, unrelatedRoutes) = machine.takeAddressNews()
      return ObservedAddresses(
        count: machine.addressCount, hasRemovals: hasRemovals, unrelatedRoutes: unrelatedRoutes, list: list)
    }
  }

  /// The work of the engine's thread between two waits.
  struct Turn {
    enum Phase {
      /// The engine is over.
      case stopped
      /// There are no observers.
      case idle
      /// There are observers, some of hosts or of the path.
      case observing(hosts: Bool, path: Bool)
    }

    let phase: Phase
    let isRefreshWanted: Bool
    let nameChanges: [NameChange]

    /// The subjects to watch from this turn on.
    var subjects: WatchedSubjects {
      guard case .observing(let hosts, let path) = phase else { return [] }
      return hosts || path ? [.network, .names] : .network
    }
  }
}
