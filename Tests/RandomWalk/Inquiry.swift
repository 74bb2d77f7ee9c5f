// SPDX-License-Identifier: Apache-2.0
import LiveSupport
import ReachabilityKit

/// A target, and the user who queries it.
struct Inquiry: Hashable, Sendable {
  var target: ReachabilityTarget
  var userID: UInt32 = 0
  /// Whether datagrams are sent and counted even where lookups are sufficient.
  var wantsPackets = false

  init(_ target: ReachabilityTarget, userID: UInt32 = 0, wantsPackets: Bool = false) {
    self.target = target
    self.userID = userID
    self.wantsPackets = wantsPackets
  }

  var text: String { userID == 0 ? "\(target)" : "\(target) as user \(userID)" }
}

/// How a program sees the network under test.
enum Perspective: String, Sendable {
  /// The complete network, as root or as a thread that acts for another user.
  case ordinary
  /// The program belongs to an ordinary user, in a user namespace that maps this user only, as in a sandbox.
  case mapped
  /// The program's kernel has no IPv6.
  case withoutIPv6

  /// The user of the program that is ``mapped``.
  static let mappedUser: UInt32 = 7

  /// Chooses the perspective of the lab with a number, within the abilities of this process.
  init(lab number: Int, _ abilities: Abilities) {
    let wanted: Perspective = number % 6 == 2 ? .mapped : number % 6 == 5 ? .withoutIPv6 : .ordinary
    self = wanted == .mapped && !abilities.hasUsers ? .ordinary : wanted
  }
}

/// The abilities of this process beyond network namespaces.
struct Abilities: Sendable {
  /// Whether it can act for other users.
  var hasUsers: Bool

  static let here = Abilities(hasUsers: (try? Users.acting(as: Perspective.mappedUser) {}) != nil)
}
