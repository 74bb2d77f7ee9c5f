// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

/// The commands that are found in advice.
@Suite(.deadline) struct `Commands in advice` {
  @Test(arguments: [
    ("Switch it on: ip link set dev eth0 up.", ["ip link set dev eth0 up"]),
    (
      "Switch it on: ip link set dev wlan0 up; if that is refused, see which switch blocks the radio: rfkill list.",
      ["ip link set dev wlan0 up"]
    ),
    ("Switch it on: ip link set dev 'a b;id' up.", ["ip link set dev 'a b;id' up"]),
    (
      "Enable it: sysctl -w net/ipv6/conf/eth0/disable_ipv6=0.",
      ["sysctl -w net/ipv6/conf/eth0/disable_ipv6=0"]
    ),
    ("Check that DHCP sets one, or add one: ip route add default via GATEWAY dev eth0.", []),
    ("Add an address: ip address add ADDRESS/LENGTH dev eth0.", []),
    ("Change the address of one of them: ip address del, then ip address add.", []),
    ("Find it: ip rule, and ip route show table all type blackhole.", []),
    ("Check the cable.", []),
  ])
  func `advice has the commands that change something`(_ advice: String, _ commands: [String]) {
    let step = ReachabilityExplanation.Step(.route, .failed, fact: "", problem: "It fails.", advice: advice)
    #expect(step.advisedCommands == commands)
  }
}
