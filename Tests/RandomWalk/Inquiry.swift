#if os(Linux)
import LiveSupport
import ReachabilityKit

/// A target, and the user who asks about it.
struct Inquiry: Hashable, Sendable {
  var target: ReachabilityTarget
  var userID: UInt32 = 0
  /// Whether datagrams are sent and counted where lookups tell as much.
  var wantsPackets = false

  init(_ target: ReachabilityTarget, userID: UInt32 = 0, wantsPackets: Bool = false) {
    self.target = target
    self.userID = userID
    self.wantsPackets = wantsPackets
  }

  var text: String { userID == 0 ? "\(target)" : "\(target) as user \(userID)" }
}

/// What a program sees of the network under test.
enum Perspective: String, Sendable {
  /// All of it, as root or as a thread that acts for another user.
  case ordinary
  /// It is an ordinary user's, in a user namespace that maps this user only, as in a sandbox.
  case mapped
  /// Its kernel has no IPv6.
  case withoutIPv6

  /// The user of the program that is ``mapped``.
  static let mappedUser: UInt32 = 7

  /// The perspective in the lab with a number, if this process may have it.
  init(lab number: Int, _ abilities: Abilities) {
    let wanted: Perspective = number % 6 == 2 ? .mapped : number % 6 == 5 ? .withoutIPv6 : .ordinary
    self = wanted == .mapped && !abilities.hasUsers ? .ordinary : wanted
  }
}

/// What this process may do beyond making network namespaces.
struct Abilities: Sendable {
  /// Whether it can act for other users.
  var hasUsers: Bool

  static let here = Abilities(hasUsers: (try? Users.acting(as: Perspective.mappedUser) {}) != nil)
}
#endif
