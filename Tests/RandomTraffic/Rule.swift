// SPDX-License-Identifier: Apache-2.0
/// How the relay treats the packets of a peer.
struct Rule {
  /// The delay in each direction, in nanoseconds.
  var delay: Int64 = 0
  /// The part of the packets that is lost, to the server and to the client.
  var lossUp = 0.0
  var lossDown = 0.0
  var dropsUp = false
  var dropsDown = false
  /// The size in bytes of the largest packet that passes.
  var limit = Int.max

  var isCut: Bool { dropsUp || dropsDown }
}
