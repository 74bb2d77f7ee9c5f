// SPDX-License-Identifier: Apache-2.0
/// What test packets showed about the greatest packet that passes to an address, and back.
///
/// Sizes are those of IP packets in bytes, with their headers.
package struct PacketSizeFinding: Equatable, Sendable {
  enum Direction: Equatable, Sendable {
    /// To the address.
    case there
    /// From the address.
    case back
    /// One of both.
    case either
  }

  enum Outcome: Equatable, Sendable {
    /// Packets of this size pass to the address, and back as well if that was tested.
    case passed(Int, isBackTested: Bool)
    /// Packets of at least `from` bytes vanish; those of `passing` bytes pass, if any size is known to.
    case lost(from: Int, passing: Int?, Direction)
    /// The packets cannot tell.
    case unknown(Ignorance)
  }

  /// Why packets cannot tell.
  enum Ignorance: Equatable, Sendable {
    /// Nothing answers; `mayEcho` says whether this user may send echo requests.
    case silent(mayEcho: Bool)
    /// Small packets are answered, and greater ones are not, but the limit is none of a path.
    case filtered
    /// The answers were too few; packets of `passing` bytes pass, if any size is known to.
    case undecided(passing: Int?)
    /// This machine does not send the packets.
    case notSent
  }

  /// The MTU that a router or this machine itself reported for the path, and the reporter if it is a router.
  struct Report: Equatable, Sendable {
    var mtu: Int
    var reporter: ReachabilityAddress?
  }

  /// The tested address.
  var address: ReachabilityAddress
  /// The size of a full packet of the connection when it was established.
  var full: Int
  var outcome: Outcome
  var report: Report?
  /// The greatest fragment of an answer, if answers arrived in fragments.
  var fragment: Int?

  /// The greatest size that passes, or `nil` if no size is known to.
  var greatest: Int? {
    switch outcome {
    case .passed(let size, _): size
    case .lost(_, let passing, _), .unknown(.undecided(let passing)): passing
    case .unknown: nil
    }
  }
}
