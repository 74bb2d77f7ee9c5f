// SPDX-License-Identifier: Apache-2.0
import ClassicSupport
import DeadlineSupport
import SystemConfiguration
import Testing

@testable import AppleReachability

@Suite(.deadline) struct FlagTextTests {
  @Test(
    arguments: [
      ("", "-- -------"), ("R", "-R -------"), ("RW", "WR -------"), ("Rt", "-R t------"),
      ("Rc", "-R -c-----"), ("RcC", "-R -cC----"), ("RcDi", "-R -c-iD--"), ("Rld", "-R -----ld"),
      ("WRtcCiDld", "WR tcCiDld"),
    ])
  func `each flag has its letter`(flags: String, text: String) {
    #expect(SCNetworkReachabilityFlags(flags).text == text)
  }

  @Test func `flags are printed only if printing is enabled`() {
    #expect(!kShouldPrintReachabilityFlags)
    kShouldPrintReachabilityFlags = true
    #expect(kShouldPrintReachabilityFlags)
    SCNetworkReachabilityFlags("R").printIfWanted("of a test")
    kShouldPrintReachabilityFlags = false
    #expect(!kShouldPrintReachabilityFlags)
  }
}
