#if os(Linux)
import Netlink

extension ExplanationFacts.Neighbour {
  init(_ state: NeighbourState) {
    if !state.isDisjoint(with: [.needless, .permanent]) {
      self = .fixed
    } else if state.contains(.reachable) {
      self = .reachable
    } else if !state.isDisjoint(with: [.stale, .delay, .probe]) {
      self = .stale
    } else if state.contains(.failed) {
      self = .failed
    } else {
      self = state.contains(.incomplete) ? .incomplete : .absent
    }
  }
}
#endif
