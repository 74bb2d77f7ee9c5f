import CommandLineSupport
import ReachabilityKit

extension TrafficEvidence {
  /// The verdict, with its colour and the width of a column, and the evidence in words.
  func text(on output: StandardOutput, verdictWidth width: Int = 11) -> String {
    let (word, colour): (String, TerminalColour) =
      switch verdict {
      case .answering: ("answering", .green)
      case .stalled: ("stalled", .red)
      case .none: ("no evidence", .yellow)
      }
    return output.coloured(word.padded(to: width), colour) + "  " + words.escapedForTerminal
  }

  /// All fields; ages are in whole milliseconds, the kernel's resolution.
  var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("verdict", verdict.rawValue)
    object.add("strength", strength.rawValue)
    object.add("fault", fault?.rawValue)
    object.add("receivedMilliseconds", received?.milliseconds)
    object.add("stalledMilliseconds", stalled?.milliseconds)
    object.add("connections", connections)
    object.add("answeringPeers", answeringPeers)
    object.add("stalledPeers", stalledPeers)
    object.add("stalledConnections", stalledConnections)
    object.add("ownStalledConnections", ownStalledConnections.map(\.jsonObject))
    object.add("suspectedMTU", suspectedMTU)
    object.add("nextHop", nextHop?.address.description)
    object.add("nextHopState", nextHop?.state.rawValue)
    object.add("silentTunnelMilliseconds", silentTunnel?.milliseconds)
    object.add("obstacle", obstacle?.rawValue)
    object.add("leftBehind", leftBehind?.jsonObject)
    return object
  }
}

extension TrafficEvidence.LeftBehind {
  fileprivate var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("connections", connections)
    object.add("milliseconds", duration.milliseconds)
    object.add("addresses", addresses.map(\.description))
    return object
  }
}

extension TrafficEvidence.StalledConnection {
  fileprivate var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("peer", peer.description)
    object.add("port", Int(port))
    object.add("milliseconds", duration.milliseconds)
    object.add("timeouts", timeouts)
    return object
  }
}

extension Duration {
  fileprivate var milliseconds: Int { Int(clamping: Int64(self / .milliseconds(1))) }
}
