/// Decides when it is worth while not to hear of all routes: in a network in which routes come and go that concern nobody.
///
/// Pure. Observers that come and go are then no work at all where routes hold still, which is nearly everywhere.
struct RouteInterest: Sendable {
  /// Whether some routes are not heard of.
  private(set) var isLimited = false
  private var strays = 0
  /// Whether the system can't be told.
  private var isRefused = false
  private var pathAddresses: Set<IPAddress> = []
  private let limit: Int

  /// - Parameter limit: After how many routes that concern nobody the system is told what does at the latest, however
  ///   much that is to tell.
  init(limit: Int = .max) {
    self.limit = limit
  }

  /// After how many routes the system is told, or more, if that is much to tell.
  static var patience: Int { 64 }

  /// Notes how many routes were heard of that concern nobody; returns whether to tell the system now what does.
  ///
  /// - Parameters:
  ///   - strays: How many came since the last call.
  ///   - count: How many addresses there are to tell.
  ///   - isSmaller: Whether some are of no interest any more that were when this was last told.
  mutating func wantsLimit(_ strays: Int, _ count: Int, _ isSmaller: Bool) -> Bool {
    guard !isRefused else { return false }
    self.strays += strays
    return (!isLimited || isSmaller) && self.strays >= min(max(Self.patience, count), limit)
  }

  /// Notes that the system was told, and whether it listened.
  mutating func noteLimit(_ isDone: Bool, _ pathAddresses: [IPAddress]) {
    isLimited = isDone
    isRefused = !isDone
    strays = 0
    self.pathAddresses = Set(pathAddresses)
  }

  /// Notes that all routes are heard of again.
  mutating func noteEnd() {
    isLimited = false
    strays = 0
  }

  /// Whether routes to all of these, which decide about the path, are among those that are heard of.
  func covers(_ addresses: [IPAddress]) -> Bool { addresses.allSatisfy(pathAddresses.contains) }
}
