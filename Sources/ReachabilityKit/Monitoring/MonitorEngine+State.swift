extension MonitorEngine {
  /// The state that callers and the engine's thread share.
  struct State {
    enum Life {
      /// No thread runs; the next observer starts one.
      case dormant
      case running
      /// The engine is over; a thread that still runs ends.
      case stopped
    }

    var machine = Machine()
    var board = Board()
    var life = Life.dormant
    var isRefreshWanted = false

    var hasObservers: Bool { !(machine.isEmpty && board.isEmpty) }

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
        life == .stopped
        ? .stopped : hasObservers ? .observing(hosts: machine.hasHosts, path: !board.isEmpty) : .idle
      return Turn(phase: phase, isRefreshWanted: isRefreshWanted, nameChanges: machine.takeNameChanges())
    }
  }

  /// The work of the engine's thread between two waits.
  struct Turn {
    enum Phase {
      case stopped
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
